// Transfers of accounts with several keys: what the bytes say of the permission, and how the endpoints' reports of it are taken.

import { utils } from 'tronweb';
import { describe, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { BadDraft } from '@/lib/networks/sending/send';
import { tronCase } from '@/testing/drafts/draft-cases';
import { agreeOnPermissions } from './permissions';
import {
  permittedFee,
  readPermittedTransfer,
  readTronDraft,
  readTronTransfer,
  signedPermitted,
  signedTron,
} from './read-draft';
import { writeTronDraft } from './write-draft';

const transfer = tronCase(1);
const drafted = (permissionId?: number) =>
  writeTronDraft({ ...transfer, ...(permissionId ? { permissionId } : {}) }, 'i');

describe('the bytes of a transfer', () => {
  it.each([0, 2, 9])('say that the keys of permission %i sign', async (permissionId) => {
    const { unsigned } = await drafted(permissionId);
    expect(readPermittedTransfer(unsigned)).toEqual({ ...transfer, permissionId });
  });

  it('are those of tronweb with two signatures', async () => {
    const { unsigned } = await drafted(2);
    const { payload, finish } = signedPermitted(unsigned);
    const signatures = [1, 2].map((byte) => Buffer.alloc(65, byte));
    const { bytes, hash } = finish(signatures);
    expect(hash).toBe(Buffer.from(payload).toString('hex'));
    const raw = utils.deserializeTx.deserializeTransaction('TriggerSmartContract', unsigned);
    const built = utils.transaction.txJsonToPb({ visible: false, raw_data: raw });
    for (const signature of signatures) built.addSignature(new Uint8Array(signature));
    expect(Buffer.from(built.serializeBinary()).toString('hex')).toBe(bytes);
  });

  it('are refused with an identifier that no account has, and with one that is spelled out as zero', async () => {
    const { unsigned } = await drafted(2);
    const named = (id: string): string => unsigned.replace('280270', `28${id}70`);
    for (const id of ['00', '01', '0a', '7f']) expect(() => readPermittedTransfer(named(id))).toThrow(BadDraft);
    expect(readPermittedTransfer(named('03')).permissionId).toBe(3);
  });

  it('are refused by the reader that the signer has, whichever permission they name', async () => {
    for (const permissionId of [2, 9]) {
      const draft = await drafted(permissionId);
      for (const read of [readTronTransfer, readTronDraft, signedTron])
        expect(() => read(draft)).toThrow('it names a permission');
    }
    expect(readTronTransfer(await drafted())).toEqual(transfer);
  });

  it('cost one TRX more with several signatures, and the bandwidth of each', async () => {
    const { unsigned } = await drafted(2);
    const [one, two, three] = [1, 2, 3].map((signatures) => permittedFee(unsigned, signatures)) as [
      bigint,
      bigint,
      bigint,
    ];
    expect([two - one, three - two]).toEqual([1_000_000n + 67_000n, 67_000n]);
    expect(one).toBe(readTronDraft(await drafted()).feeCap + 2000n);
  });
});

describe('the permissions of an account', () => {
  const owner = { id: 0, threshold: 2, moves: true, keys: [{ address: transfer.to, weight: 1 }] };

  it('are what enough endpoints report alike', () => {
    expect(agreeOnPermissions([[owner], [{ ...owner, threshold: 1 }], [owner]], 2)).toEqual([owner]);
  });

  it('are unknown when too few endpoints report the same', () => {
    for (const votes of [[[owner], [{ ...owner, threshold: 1 }]], [[owner]], []])
      expect(() => agreeOnPermissions(votes, 2)).toThrow(ChainError);
  });
});
