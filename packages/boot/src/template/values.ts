/** What an OS template may use: the plan, where to call back, and nothing else. */
import type { InstallPlan } from '../install/plan.ts';
import type { TemplateValues } from './render.ts';

export interface CallbackUrls {
  /** Under which the installer reports: `…/boot/v1/install/TOKEN`. */
  readonly install: string;
  readonly bootUrl: string;
}

export const templateValues = (plan: InstallPlan, urls: CallbackUrls): TemplateValues => {
  const mirror = URL.parse(plan.mirror);
  const bySerial = plan.disks.map(
    (disk) => `/dev/disk/by-id/*${disk.serial.replaceAll(/[^A-Za-z0-9._-]/g, '_')}*`,
  );
  return {
    os: plan.os,
    hostname: plan.hostname,
    domain: plan.domain,
    fqdn: plan.domain === '' ? plan.hostname : `${plan.hostname}.${plan.domain}`,
    user: plan.user === 'root' ? '' : plan.user,
    is_root: plan.user === 'root' ? 'yes' : '',
    password_hash: plan.passwordHash,
    ssh_keys: plan.sshKeys,
    timezone: plan.timezone,
    packages: plan.packages,
    mirror: plan.mirror,
    mirror_host: mirror?.host ?? '',
    mirror_path: mirror?.pathname ?? '',
    mirror_protocol: mirror?.protocol.replace(':', '') ?? '',
    disk: `/dev/${plan.disks[0]?.name ?? 'sda'}`,
    disk_name: plan.disks[0]?.name ?? '',
    disk_serial: plan.disks[0]?.serial ?? '',
    // as grantWipe compares it, and as a URL can hold it
    disk_claim: (plan.disks[0]?.serial ?? '').replaceAll(/[^A-Za-z0-9._-]/g, '_'),
    disk2: plan.disks[1] === undefined ? '' : `/dev/${plan.disks[1].name}`,
    disk2_name: plan.disks[1]?.name ?? '',
    disk2_serial: plan.disks[1]?.serial ?? '',
    disks_by_id: bySerial,
    layout: plan.layout,
    layout_plain: plan.layout === 'plain' ? 'yes' : '',
    layout_lvm: plan.layout === 'lvm' ? 'yes' : '',
    layout_raid1: plan.layout === 'raid1' ? 'yes' : '',
    install_url: urls.install,
    boot_url: urls.bootUrl,
  };
};
