import { BlockList, isIPv4, isIPv6 } from 'node:net';

const reserved4 = new BlockList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [net = '', prefix] = range.split('/');
  reserved4.addSubnet(net, Number(prefix), 'ipv4');
}

/** The only ranges of public addresses; they contain a few ranges that map to other addresses. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const reserved6 = new BlockList();
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  reserved6.addSubnet(net, prefix, 'ipv6');

/** Whether an address belongs to the public internet: not this machine, not its network, not reserved. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved4.check(address, 'ipv4');
  return isIPv6(address) && global6.check(address, 'ipv6') && !reserved6.check(address, 'ipv6');
}
