#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A Slurm of its own on this machine for a test: controller, node daemon and munge, everything in
# FOLDER; for root. "stop" ends what was started.
#   bash start_slurm.sh FOLDER [stop]
set -eu
folder=$(realpath -m "$1")
if [ "${2:-}" = stop ]; then
  for daemon in slurmd ctld munge/d; do
    [ ! -f "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")" || true
  done
  exit 0
fi
mkdir -p "$folder"/{ctld,slurmd,munge}
chmod 755 "$folder"
chmod 700 "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 status=none
chmod 400 "$folder/munge/key"
munged --force --socket="$folder/munge/socket" --key-file="$folder/munge/key" \
  --pid-file="$folder/munge/d.pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat > "$folder/slurm.conf" <<C
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/ctld
SlurmdSpoolDir=$folder/slurmd
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/ctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MinJobAge=600
JobRequeue=1
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
export SLURM_CONF=$folder/slurm.conf
slurmctld -c >/dev/null 2>&1
slurmd -c >/dev/null 2>&1
for _ in $(seq 50); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && exit 0
  sleep 0.2
done
exit 1
