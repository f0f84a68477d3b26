import { getCreate2Address, Interface, keccak256 } from 'ethers';
import { expect, it } from 'vitest';
import { SWEEP_DELEGATE_CODE } from './sweep-delegate-code';
import { CREATE2_FACTORY, delegateAddress, deploymentData, sweepManyData } from './sweep-delegate';

const address = (digit: string): string => `0x${digit.repeat(40)}`;
const wallets = { treasury: address('a'), sponsor: address('b'), spareSponsor: address('c') };

it('the address and the deployment agree with ethers', () => {
  const constructor = new Interface(['constructor(address treasury, address sponsor, address spareSponsor)']);
  const { treasury, sponsor, spareSponsor } = wallets;
  const code = SWEEP_DELEGATE_CODE + constructor.encodeDeploy([treasury, sponsor, spareSponsor]).slice(2);
  const salt = `0x${'0'.repeat(64)}`;
  expect(delegateAddress(wallets)).toBe(getCreate2Address(CREATE2_FACTORY, salt, keccak256(code)).toLowerCase());
  expect(deploymentData(wallets)).toBe(salt + code.slice(2));
});

it('another treasury or another sponsor has another delegate', () => {
  const others = [
    { ...wallets, treasury: address('d') },
    { ...wallets, sponsor: address('d') },
    { ...wallets, spareSponsor: address('d') },
  ];
  expect(new Set([wallets, ...others].map(delegateAddress)).size).toBe(4);
});

it('the call agrees with ethers for no, one and many deposit addresses', () => {
  const contract = new Interface(['function sweepMany(address token, uint256 gasEach, address[] deposits)']);
  for (const deposits of [[], [address('1')], ['1', '2', '3', 'f'].map(address)])
    expect(sweepManyData(address('e'), 100_000n, deposits)).toBe(
      contract.encodeFunctionData('sweepMany', [address('e'), 100_000n, deposits]),
    );
});
