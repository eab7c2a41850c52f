/** A virtual BMC for a machine of the rack: OpenIPMI's ipmi_sim, which starts and kills its QEMU. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import type { LabMachine } from './machine.ts';

export interface LabBmc {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  stop(): Promise<void>;
}

const freeUdpPort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.bind(0, '127.0.0.1', () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });

const chassisScript = (machine: LabMachine): string => `#!/bin/bash
# called by ipmi_sim: ADDRESS get|set PARAMETER [VALUE]...
folder='${machine.folder}'
shift; verb=$1; shift
alive() { [ -f $folder/pid ] && [ -e /proc/$(cat $folder/pid)/stat ] && ! grep -q ') Z ' /proc/$(cat $folder/pid)/stat 2>/dev/null; }
# the one-time boot device is used up by the start; ipmi_sim says default for the hard disk
on() {
  alive && return
  script='${machine.startScripts.usual}'
  case $(cat $folder/boot 2>/dev/null) in pxe) script='${machine.startScripts.network}' ;; default) script='${machine.startScripts.disk}' ;; esac
  rm -f $folder/boot
  setsid nice -n 10 $script >/dev/null 2>&1 </dev/null & echo $! >$folder/pid
}
off() {
  alive || return
  pid=$(cat $folder/pid)
  kill -9 $pid
  # its files are closed when it is gone, or a zombie without threads
  while [ -e /proc/$pid/stat ] && ! { grep -q ') Z ' /proc/$pid/stat && [ $(ls /proc/$pid/task | wc -l) -le 1 ]; } 2>/dev/null; do sleep 0.05; done
  rm -f $folder/pid
}
case $verb in
  get) for name in "$@"; do case $name in power) alive && echo power:1 || echo power:0 ;; boot) echo "boot:$(cat $folder/boot 2>/dev/null || echo none)" ;; *) echo "$name:0" ;; esac; done ;;
  set) while [ $# -gt 0 ]; do name=$1; value=$2; shift 2; case $name in power) [ $value = 1 ] && on || off ;; reset) off; on ;; boot) echo $value >$folder/boot ;; shutdown) off ;; esac; done ;;
esac
exit 0
`;

const lanConfig = (options: {
  chassis: string;
  start: string;
  port: number;
  username: string;
  password: string;
}): string => `name "lab"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 ${options.port}
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  chassis_control "${options.chassis} 0x20"
  startcmd "${options.start}"
  startnow false
  user 2 true "${options.username}" "${options.password}" admin 10 none md2 md5 straight
`;

const COMMANDS = `mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
sel_enable 0x20 1000 0x0a
mc_enable 0x20
`;

export const startBmc = async (machine: LabMachine): Promise<LabBmc> => {
  const folder = join(machine.folder, 'bmc');
  mkdirSync(join(folder, 'state'), { recursive: true });
  const port = await freeUdpPort();
  const [username, password] = ['admin', 'lab-secret'];
  const chassis = join(folder, 'chassis.sh');
  writeFileSync(chassis, chassisScript(machine), { mode: 0o755 });
  writeFileSync(
    join(folder, 'lan.conf'),
    lanConfig({ chassis, start: machine.startScripts.usual, port, username, password }),
    { mode: 0o600 },
  );
  writeFileSync(join(folder, 'sim.emu'), COMMANDS);
  const child = spawn(
    'ipmi_sim',
    [
      '-c',
      join(folder, 'lan.conf'),
      '-f',
      join(folder, 'sim.emu'),
      '-s',
      join(folder, 'state'),
      '-n',
      '-d',
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(join(folder, 'pid'), String(child.pid ?? ''));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    port,
    username,
    password,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(join(folder, 'pid'), { force: true });
    },
  };
};
