import { AbiCoder, getBytes, keccak256, concat } from 'ethers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressBytes, tronAddress } from '@/lib/networks/families/tron/address';
import { forwarderAddress, forwardersCreation, forwardersRuntime, saltOf } from './forwarders';

const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((one) => Buffer.from(one).toString('hex'));
const wallets = (of: readonly [string, string, string]) => ({
  treasury: tronAddress(of[0]),
  sponsor: tronAddress(of[1]),
  spareSponsor: tronAddress(of[2]),
});

it('an address follows from the contract and the EVM address of its index, with the prefix of TRON', () => {
  fc.assert(
    fc.property(bytes, bytes, (factory, evm) => {
      const init = concat([`0x3d602d80600a3d3981f3363d3d373d3d3d363d73${factory}5af43d82803e903d91602b57fd5bf3`]);
      const salt = AbiCoder.defaultAbiCoder().encode(['address'], [`0x${evm}`]);
      const hash = keccak256(concat(['0x41', `0x${factory}`, salt, keccak256(init)]));
      expect(addressBytes(forwarderAddress(tronAddress(factory), `0x${evm}`))).toBe(hash.slice(26));
      expect(`0x${saltOf(`0x${evm}`)}`).toBe(salt);
    }),
  );
});

it('an address never changes: these are known ones', () => {
  const factory = tronAddress('11'.repeat(20));
  expect(forwarderAddress(factory, `0x${'22'.repeat(20)}`)).toBe('TWEfjD3GJyYkUeJ2dKAShxoxYnimzx1hud');
  expect(forwarderAddress(factory, `0x${'23'.repeat(20)}`)).toBe('TXcpPQB5wB6b31ZfTHQCtUY1vr1Bg3ZYQ4');
});

it('each wallet and the place of the contract change the code that is expected there', () => {
  fc.assert(
    fc.property(fc.uniqueArray(bytes, { minLength: 5, maxLength: 5 }), ([factory, one, two, three, other]) => {
      const all = [one!, two!, three!] as const;
      const code = forwardersRuntime(tronAddress(factory!), wallets(all));
      for (const at of [0, 1, 2]) {
        const changed = wallets(all.with(at, other!) as [string, string, string]);
        expect(forwardersRuntime(tronAddress(factory!), changed)).not.toBe(code);
      }
      expect(forwardersRuntime(tronAddress(other!), wallets(all))).not.toBe(code);
      const words = AbiCoder.defaultAbiCoder().encode(
        Array(3).fill('address'),
        all.map((hex) => `0x${hex}`),
      );
      expect(forwardersCreation(wallets(all)).endsWith(words.slice(2))).toBe(true);
      expect(getBytes(`0x${code}`).length).toBeGreaterThan(1000);
    }),
  );
});
