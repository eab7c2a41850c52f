/** Looks at, and writes to, the disks of machines that are switched off. */
import { spawnSync } from 'node:child_process';
import type { LabMachine } from '@hostwright/providers';

/**
 * Inside the first four megabytes, which every installation zeroes before anything else, and outside
 * of the partition table, the boot loader and the partition: what is written here stays until a disk
 * is erased again.
 */
const PLACE = 900 * 1024;
const PATTERN = 0xa5;
const DIFFERS = 'Pattern verification failed';

const qemuIo = (disk: string, command: string): string => {
  const { status, stdout, stderr } = spawnSync('qemu-io', ['-f', 'qcow2', '-c', command, disk], {
    encoding: 'utf8',
  });
  // a pattern that is not there is an answer, too
  if (status !== 0 && !stdout.includes(DIFFERS)) throw new Error(`qemu-io: ${stdout}${stderr}`);
  return stdout;
};

export const markDisk = (disk: string): void => {
  qemuIo(disk, `write -P ${PATTERN} ${PLACE} 512`);
};

export const isMarked = (disk: string): boolean =>
  !qemuIo(disk, `read -P ${PATTERN} ${PLACE} 512`).includes(DIFFERS);

/** A boot sector that writes a word to the serial port and halts: a system in 512 bytes, for BIOS. */
export const writeBootSector = (machine: LabMachine, word: string): void => {
  // xor ax,ax; mov ds,ax; mov si,text; next: lodsb; or al,al; jz halt; mov dx,0x3f8; out dx,al; jmp next; halt: hlt; jmp halt
  const code = Buffer.from('31c08ed8be167cac08c07406baf803eeebf5f4ebfd', 'hex');
  const sector = Buffer.alloc(512);
  code.copy(sector);
  sector.write(`${word}\r\n`, 0x16, 'latin1');
  sector.writeUInt16LE(0xaa55, 510);
  const [disk = ''] = machine.disks;
  for (const [offset, byte] of sector.entries())
    if (byte !== 0) qemuIo(disk, `write -q -P ${byte} ${offset} 1`);
};
