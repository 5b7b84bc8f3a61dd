// SPDX-License-Identifier: GPL-3.0-or-later
// Empty: the target that owns the precompiled headers needs a source file.
