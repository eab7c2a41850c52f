/** The loaders that firmware asks for by TFTP, and where Debian's packages put them. */
export const LOADERS: readonly (readonly [string, string])[] = [
  ['undionly.kpxe', '/usr/lib/ipxe/undionly.kpxe'],
  ['snponly.efi', '/usr/lib/ipxe/snponly.efi'],
  ['shimx64.efi', '/usr/lib/shim/shimx64.efi.signed'],
  ['grubx64.efi', '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed'],
];

/**
 * Debian's signed GRUB speaks TFTP and nothing else, and under Secure Boot takes no more modules: so
 * it asks the boot endpoint by TFTP, for its configuration, the kernel and the seed alike. The UUID
 * tells a machine whose card was replaced; firmware without one leaves an empty place in the path.
 */
export const GRUB_START = `smbios --type 1 --get-uuid 8 --set uuid
configfile (tftp,$net_default_server)/boot/v1/grub/$net_default_mac/$uuid/grub.cfg
`;
