# SPDX-License-Identifier: GPL-3.0-or-later
# A cube of a RAW image of bytes, x fastest: perl part.pl rock.raw NX,NY,NZ X,Y,Z,N > part.raw
use strict;
use warnings;
my ($file, $dims, $part) = @ARGV;
die "part: the image's size is needed, as DIMS=110,110,110\n" unless ($dims // '') =~ /^\d+(,\d+){2}$/;
die "part: PART=X,Y,Z,N was expected, not \"" . ($part // '') . "\"\n" if ($part // '') !~ /^\d+(,\d+){3}$/;
my @size = split /,/, $dims;
my ($x, $y, $z, $n) = split /,/, $part;
my @from = ($x, $y, $z);
for my $a (0 .. 2) {
  die "part: voxels $from[$a] to " . ($from[$a] + $n - 1) . " are not in 0 to " . ($size[$a] - 1) . "\n"
    if $n < 1 || $from[$a] + $n > $size[$a];
}
open my $in, '<:raw', $file or die "part: $file: $!\n";
die "part: $file does not hold " . $size[0] * $size[1] * $size[2] . " bytes, as DIMS says\n"
  if -s $in != $size[0] * $size[1] * $size[2];
binmode STDOUT;
for my $k ($z .. $z + $n - 1) {
  for my $j ($y .. $y + $n - 1) {
    seek $in, ($k * $size[1] + $j) * $size[0] + $x, 0;
    read($in, my $row, $n) == $n or die "part: $file cannot be read\n";
    print $row;
  }
}
close STDOUT or die "part: the part cannot be written: $!\n";
