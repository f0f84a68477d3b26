import { expect, test } from 'vitest';
import { hostOfUrl, openHosts } from './hosts';

const roomOf = (hosts: ReturnType<typeof openHosts>, name: string) =>
  hosts.room().known.find(({ host }) => host === name)?.room;

test('a hanging host has room for four calls, across all its endpoints', () => {
  const hosts = openHosts();
  for (let n = 0; n < 4; n++) hosts.begin('slow.example');
  expect([roomOf(hosts, 'slow.example'), hosts.room().unknown]).toEqual([0, 4]);
  hosts.end('slow.example', { answered: false, milliseconds: 30_000 });
  expect(roomOf(hosts, 'slow.example')).toBe(1);
});

test('a host that responds quickly gets more, up to 64, and loses half of it at every call without a response', () => {
  const hosts = openHosts();
  for (let n = 0; n < 100; n++) {
    hosts.begin('quick.example');
    hosts.end('quick.example', { answered: true, milliseconds: 20 });
  }
  expect(roomOf(hosts, 'quick.example')).toBe(64);
  hosts.begin('quick.example');
  hosts.end('quick.example', { answered: false, milliseconds: 30_000 });
  expect(roomOf(hosts, 'quick.example')).toBe(32);
  hosts.begin('quick.example');
  hosts.end('quick.example', { answered: true, milliseconds: 9000 });
  expect(roomOf(hosts, 'quick.example')).toBe(32);
});

test('the number of remembered hosts is bounded, and a host in use is never dropped', () => {
  const hosts = openHosts();
  hosts.begin('busy.example');
  for (let n = 0; n < 1500; n++) {
    hosts.begin(`${n}.example`);
    hosts.end(`${n}.example`, { answered: true, milliseconds: 1 });
  }
  expect(hosts.room().known.length).toBeLessThanOrEqual(1001);
  expect(roomOf(hosts, 'busy.example')).toBe(3);
});

test.each([
  ['https://shop.example.com/hook', 'shop.example.com'],
  ['https://shop.example.com:8443/hook?x=1', 'shop.example.com:8443'],
  ['http://[::1]:3000/', '[::1]:3000'],
  ['https://shop.example.com?x', 'shop.example.com'],
])('the host of %s is %s', (url, host) => {
  expect(hostOfUrl(url)).toBe(host);
});
