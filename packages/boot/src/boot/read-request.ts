/** Who asks, as far as firmware tells. Nothing here is trusted: it only selects which decision to make. */
import { readMac, readSerial, readUuid } from '../valid.ts';

export interface BootIdentity {
  readonly mac: string | null;
  readonly uuid: string | null;
  readonly serial: string | null;
  readonly firmware: 'bios' | 'uefi';
}

export const readIdentity = (query: URLSearchParams): BootIdentity => ({
  mac: readMac(query.get('mac')),
  uuid: readUuid(query.get('uuid')),
  serial: readSerial(query.get('serial')),
  firmware: /efi/i.test(query.get('platform') ?? '') ? 'uefi' : 'bios',
});
