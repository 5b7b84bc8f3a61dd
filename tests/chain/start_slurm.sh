#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Private Slurm on this machine for a test: munge, controller and two nodes, n1 and n2, of two cores and
# two simulated GPUs each, everything in FOLDER; requires root. A node is a daemon with its own host
# name and shared memory, so that MPI sees two hosts. "stop" ends all of it.
#   bash start_slurm.sh FOLDER [stop]
set -eu
folder=$(realpath -m "$1")
export SLURM_CONF=$folder/slurm.conf
if [ "${2:-}" = stop ]; then
  for job in $(timeout 10 squeue -h -o %A); do timeout 10 scancel "$job" || true; done
  for _ in $(seq 50); do
    [ -n "$(timeout 10 squeue -h)" ] || break
    sleep 0.2
  done
  for daemon in n1 n2 ctld munge/d; do
    [ ! -f "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")" || true
  done
  for _ in $(seq 50); do
    ls "$folder"/*.pid >/dev/null 2>&1 || exit 0
    sleep 0.2
  done
  exit 1
fi
mkdir -p "$folder"/{ctld,munge,n1,n2,tmp/n1,tmp/n2}
chmod 755 "$folder"
chmod 700 "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 status=none
chmod 400 "$folder/munge/key"
munged --force --socket="$folder/munge/socket" --key-file="$folder/munge/key" \
  --pid-file="$folder/munge/d.pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
# Slurm only requires that a GPU is a device file.
for gpu in 0 1; do mknod "$folder/gpu$gpu" c 1 3; done
echo "NodeName=n[1-2] Name=gpu File=$folder/gpu[0-1]" > "$folder/gres.conf"
port=$((20000 + $$ % 20000))
cat > "$folder/slurm.conf" <<C
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/ctld
SlurmdSpoolDir=$folder/%n
TmpFS=$folder/tmp/%n
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/ctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
ReturnToService=2
MinJobAge=600
JobRequeue=1
KillWait=5
NodeName=n1 NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 Gres=gpu:2 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
slurmctld -c >/dev/null 2>&1
for node in n1 n2; do
  unshare --uts --mount sh -c \
    "hostname $node && mount -t tmpfs none /dev/shm && exec slurmd -N $node -c" >/dev/null 2>&1
done
for _ in $(seq 50); do
  [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c idle)" = 2 ] && exit 0
  sleep 0.2
done
exit 1
