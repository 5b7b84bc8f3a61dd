# SPDX-License-Identifier: GPL-3.0-or-later
"""XXH3-128 (Collet, xxHash 0.8, seed 0) with NumPy, for many chunks at once.

The stripes of a block are summed independently of what came before, so only
the scrambling once in 1024 bytes is a loop in Python, over all chunks at
once. The module xxhash does the same faster and is used where it is there.
"""
from __future__ import annotations

from typing import Any

import numpy as np

xxhash: Any
try:
    import xxhash
except ImportError:
    xxhash = None

_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
_P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
_P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
        0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
_M = (1 << 64) - 1
_STRIPE = 64
_STRIPES = (len(_SECRET) - _STRIPE) // 8  # of a block: 16
_BLOCK = _STRIPE * _STRIPES


def _read32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at:at + 4], "little")


def _read64(data: bytes, at: int) -> int:
    return int.from_bytes(data[at:at + 8], "little")


def _swap64(x: int) -> int:
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def _avalanche64(x: int) -> int:
    x = (x ^ x >> 33) * _P64[1] & _M
    x = (x ^ x >> 29) * _P64[2] & _M
    return x ^ x >> 32


def _avalanche(x: int) -> int:
    x = (x ^ x >> 37) * 0x165667919E3779F9 & _M
    return x ^ x >> 32


def _fold(a: int, b: int) -> int:
    product = a * b
    return (product ^ product >> 64) & _M


def _to_16(data: bytes) -> tuple[int, int]:
    """(high, low) of up to 16 bytes."""
    n = len(data)

    def flip(at: int) -> int:
        return _read64(_SECRET, at) ^ _read64(_SECRET, at + 8)

    if n == 0:
        return _avalanche64(flip(80)), _avalanche64(flip(64))
    if n <= 3:
        low = (data[0] << 16 | data[n >> 1] << 24 | data[-1] | n << 8)
        swapped = int.from_bytes(low.to_bytes(4, "little"), "big")
        high = (swapped << 13 | swapped >> 19) & 0xFFFFFFFF
        return (_avalanche64(high ^ _read32(_SECRET, 8)
                             ^ _read32(_SECRET, 12)),
                _avalanche64(low ^ _read32(_SECRET, 0) ^ _read32(_SECRET, 4)))
    if n <= 8:
        keyed = (_read32(data, 0) | _read32(data, n - 4) << 32) ^ flip(16)
        product = keyed * (_P64[0] + (n << 2))
        high, low = product >> 64 & _M, product & _M
        high = high + (low << 1) & _M
        low ^= high >> 3
        low = (low ^ low >> 35) * 0x9FB21C651E98DF25 & _M
        return _avalanche(high), low ^ low >> 28
    first, last = _read64(data, 0), _read64(data, n - 8)
    product = (first ^ last ^ flip(32)) * _P64[0]
    high, low = product >> 64 & _M, product & _M
    low = low + (n - 1 << 54) & _M
    last ^= flip(48)
    high = high + last + (last & 0xFFFFFFFF) * (_P32[1] - 1) & _M
    low ^= _swap64(high)
    product = low * _P64[1]
    return (_avalanche((product >> 64) + high * _P64[1] & _M),
            _avalanche(product & _M))


def _mix16(data: bytes, at: int, secret: int, seed: int = 0) -> int:
    return _fold(_read64(data, at) ^ (_read64(_SECRET, secret) + seed & _M),
                 _read64(data, at + 8)
                 ^ (_read64(_SECRET, secret + 8) - seed & _M))


def _mix32(sums: list[int], data: bytes, a: int, b: int, secret: int) -> None:
    def plain(at: int) -> int:
        return _read64(data, at) + _read64(data, at + 8) & _M

    sums[0] = (sums[0] + _mix16(data, a, secret) & _M) ^ plain(b)
    sums[1] = (sums[1] + _mix16(data, b, secret + 16) & _M) ^ plain(a)


def _to_240(data: bytes) -> tuple[int, int]:
    """(high, low) of 17 to 240 bytes."""
    n = len(data)
    sums = [n * _P64[0] & _M, 0]
    if n <= 128:
        for k in reversed(range((n - 1) // 32 + 1)):
            _mix32(sums, data, 16 * k, n - 16 * (k + 1), 32 * k)
    else:
        for k in range(4):
            _mix32(sums, data, 32 * k, 32 * k + 16, 32 * k)
        sums = [_avalanche(each) for each in sums]
        for k in range(4, n // 32):
            _mix32(sums, data, 32 * k, 32 * k + 16, 3 + 32 * (k - 4))
        _mix32(sums, data, n - 16, n - 32, 136 - 17 - 16)
    low = sums[0] + sums[1] & _M
    high = sums[0] * _P64[0] + sums[1] * _P64[3] + n * _P64[1] & _M
    return -_avalanche(high) & _M, _avalanche(low)


def _keys(at: int) -> np.ndarray:
    return np.frombuffer(_SECRET[at:at + _STRIPE], "<u8")


_STRIPE_KEYS = np.stack([_keys(8 * k) for k in range(_STRIPES)])
_SCRAMBLE_KEYS = _keys(len(_SECRET) - _STRIPE)
_LAST_KEYS = _keys(len(_SECRET) - _STRIPE - 7)
_SWAPPED = np.array([1, 0, 3, 2, 5, 4, 7, 6])
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def _accumulated(stripes: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """What stripes (..., k, 8) add to the accumulators (..., 8)."""
    keyed = stripes ^ keys
    products = (keyed & _LOW) * (keyed >> _HALF)
    return (products.sum(axis=-2, dtype=np.uint64)
            + stripes.sum(axis=-2, dtype=np.uint64)[..., _SWAPPED])


def _merge(sums: list[int], secret: int, start: int) -> int:
    for k in range(4):
        start += _fold(sums[2 * k] ^ _read64(_SECRET, secret + 16 * k),
                       sums[2 * k + 1]
                       ^ _read64(_SECRET, secret + 16 * k + 8))
    return _avalanche(start & _M)


def _long(chunks: np.ndarray) -> list[tuple[int, int]]:
    """(high, low) of each row of bytes (m, n), n > 240."""
    m, n = chunks.shape
    sums = np.tile(np.array([_P32[2], *_P64[:4], _P32[1], _P64[4], _P32[0]],
                            np.uint64), (m, 1))
    blocks = (n - 1) // _BLOCK
    prime, shift = np.uint64(_P32[0]), np.uint64(47)
    at_once = max(1, (1 << 24) // (m * _BLOCK))  # bounds the memory
    for first in range(0, blocks, at_once):
        end = min(blocks, first + at_once)
        part = np.ascontiguousarray(chunks[:, first * _BLOCK:end * _BLOCK])
        added = _accumulated(
            part.view("<u8").reshape(m, end - first, _STRIPES, 8),
            _STRIPE_KEYS)
        for block in range(end - first):
            sums += added[:, block]
            sums ^= sums >> shift
            sums ^= _SCRAMBLE_KEYS
            sums *= prime
    stripes = (n - 1 - blocks * _BLOCK) // _STRIPE
    tail = np.ascontiguousarray(
        chunks[:, blocks * _BLOCK:blocks * _BLOCK + stripes * _STRIPE])
    sums += _accumulated(tail.view("<u8").reshape(m, stripes, 8),
                         _STRIPE_KEYS[:stripes])
    last = np.ascontiguousarray(chunks[:, n - _STRIPE:]).view("<u8")
    sums += _accumulated(last.reshape(m, 1, 8), _LAST_KEYS)
    return [(_merge(row, len(_SECRET) - _STRIPE - 11,
                    ~(n * _P64[1]) & _M),
             _merge(row, 11, n * _P64[0] & _M)) for row in sums.tolist()]


def _digest(pair: tuple[int, int]) -> bytes:
    return pair[0].to_bytes(8, "big") + pair[1].to_bytes(8, "big")


def _of_one(data: np.ndarray) -> bytes:
    if data.size > 240:
        return _digest(_long(data.reshape(1, -1))[0])
    few = data.tobytes()
    return _digest(_to_16(few) if data.size <= 16 else _to_240(few))


def digests(data: np.ndarray, chunk: int) -> list[bytes]:
    """XXH3-128 (16 bytes each) of every chunk of so many bytes of a
    contiguous array of bytes; the last may be shorter. No data: none."""
    if xxhash is not None:
        return [xxhash.xxh3_128_digest(data[at:at + chunk])
                for at in range(0, data.size, chunk)]
    whole = data.size // chunk
    out: list[bytes] = []
    if chunk > 240:
        for first in range(0, whole, 64):
            rows = data[first * chunk:min(first + 64, whole) * chunk]
            out += [_digest(pair) for pair in _long(rows.reshape(-1, chunk))]
    else:
        out = [_of_one(data[k * chunk:(k + 1) * chunk])
               for k in range(whole)]
    if data.size % chunk:
        out.append(_of_one(data[whole * chunk:]))
    return out


def digest(data: bytes | np.ndarray) -> bytes:
    """XXH3-128 of bytes, 16 bytes in canonical order."""
    array = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
    if xxhash is not None:
        return xxhash.xxh3_128_digest(array)
    return _of_one(array)
