// Screening on a real EVM node with an oracle contract: money of a listed sender stays at its deposit address alone, everything else is
// swept, and what is released is swept too.

import { Interface, toQuantity, Wallet } from 'ethers';
import { beforeEach, describe, expect, it } from 'vitest';
import { oracleOf } from '@/lib/screening/policy';
import { openOracle } from '@/lib/screening/sources/oracle';
import { quarantineFrozen } from '@/lib/ledger/quarantine';
import { runScreening } from '@/lib/screening/step';
import { compileOracle, LISTING } from '@/testing/evm/sanctions-oracle';
import { ETHEREUM_SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';

const ORACLE = '0x40c57923924b5c5c5455c48d93317139addac8fb';
const token = new Interface(['function transfer(address to, uint256 value)']);
const settings = { SCREENING_ORACLE_LOCAL: ORACLE, TEST_CHAINS: 'local' };
describe.each(ETHEREUM_SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const { scene, others, chain, price, expectBalancedBooks, expectSweptOnce } = useSweeps(row, {
    isSeedless,
    settings,
  });

  beforeEach(() => others().rpc('anvil_setCode', ORACLE, compileOracle()));

  /** A transaction of any account, in a block. */
  async function send(from: string, to: string, data: string): Promise<void> {
    const { rpc } = others();
    await others().addCoin(from);
    await rpc('anvil_impersonateAccount', from);
    const sent = { from, to, data, gas: toQuantity(300_000), gasPrice: toQuantity(100n * 10n ** 9n) };
    const { status } = await rpc<{ status: string }>('eth_sendTransactionSync', sent);
    if (status !== '0x1') throw new Error('the transaction failed');
  }
  const list = (address: string) =>
    send(Wallet.createRandom().address, ORACLE, LISTING.encodeFunctionData('add', [[address]]));

  /** Pays the price of a session from an account that is not the usual payer. */
  async function payFrom(sender: string, to: string): Promise<void> {
    await scene().pay(sender, 12_34n);
    const { contract } = chain().spec.tokens.USDT!;
    await send(sender, contract, token.encodeFunctionData('transfer', [to, price()]));
  }

  /** As a worker that has looked through all addresses before. */
  const known = () => ({ allAt: scene().context.clock.now().getTime() });

  async function screen(of: { readonly known?: { allAt: number } } = {}): Promise<void> {
    const { context, spec } = scene();
    const contract = oracleOf(context.config, spec)!;
    const options = { spec, urls: [chain().rpcUrl], needed: 1, budgets: [], clock: context.clock, log: context.log };
    await runScreening(context, { spec, oracle: openOracle(contract, options), ...of });
  }

  /** What the ledger owes under the accounts of this name. */
  async function booked(account: string): Promise<bigint> {
    const text = `SELECT coalesce(-sum(amount), 0)::text AS amount FROM ledger_balances WHERE account LIKE $1`;
    const { rows } = await scene().db.pool.query<{ amount: string }>(text, [account]);
    return BigInt(rows[0]!.amount);
  }

  it('a tainted deposit stays alone, the others are swept, and nothing moves before its sender is screened', async () => {
    const sender = Wallet.createRandom().address;
    const good = await scene().paid(2);
    const [bad] = [await scene().session()];
    await payFrom(sender, bad.address);
    await list(sender);
    await scene().rounds(3);
    for (const { address } of [...good, bad]) expect(await scene().held(address)).toBe(price());
    await screen();
    await scene().rounds(4);
    await expectSweptOnce(good);
    expect(await scene().held(bad.address)).toBe(price());

    await scene().db.pool.query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
    await scene().rounds(4);
    await expectSweptOnce([...good, bad]);
  });

  it('a sweep that was planned and not signed is given up when one of its addresses is frozen, and the others are swept', async () => {
    const sender = Wallet.createRandom().address;
    await scene().watch();
    const bad = await scene().session();
    await payFrom(sender, bad.address);
    const good = await scene().paid(2);
    await screen();
    // Its delegate is deployed first.
    await scene().round();
    expect(await scene().crashAt('after-sweep-planned')).toBe(1);
    expect((await scene().sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'planned' });
    const hit = `UPDATE screenings SET verdict = 'hit', source = 'list', entity = 'x' WHERE address = $1`;
    expect((await scene().db.pool.query(hit, [sender.toLowerCase()])).rowCount).toBe(1);
    await scene().rounds(4);
    await expectSweptOnce(good);
    expect(await scene().held(bad.address)).toBe(price());
    expect((await scene().sweeps()).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'deploy final',
      'batch canceled',
      'batch final',
    ]);
  });

  describe('money that arrives from an unscreened sender after the address was chosen', () => {
    it('keeps its address out of a batch until it is final and screened, and no other address', async () => {
      const [mixed, clean] = await scene().paid(2);
      await screen();
      await scene().round();
      await payFrom(Wallet.createRandom().address, mixed!.address);
      await scene().rounds(2);
      expect(await scene().held(mixed!.address)).toBe(2n * price());
      await expectSweptOnce([clean!]);
      await screen();
      scene().later(60);
      await scene().rounds(2);
      expect(await scene().held(mixed!.address)).toBe(0n);
      expect(await scene().held(scene().treasury)).toBe(3n * price());
      await expectBalancedBooks();
    });

    it('after the batch was signed goes to the treasury unscreened, and a hit afterwards freezes the address and quarantines the money', async () => {
      const sender = Wallet.createRandom().address;
      await list(sender);
      const [mixed] = await scene().paid(1);
      await screen();
      // Deploys the contract.
      await scene().round();
      await others().setAutomine(false);
      await scene().sweep();
      const [hash] = await others().pool();
      await others().drop(hash!);
      await others().setAutomine(true);
      await payFrom(sender, mixed!.address);
      await scene().rounds(2);
      expect((await scene().sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'final', variants: 1 });
      expect(await scene().held(scene().treasury)).toBe(2n * price());
      expect(await booked('quarantined:%')).toBe(0n);

      await screen({ known: known() });
      await quarantineFrozen(scene().context);
      // What the session was credited. The other payment is unresolved, and is quarantined once it is accepted.
      expect([await booked('quarantined:%'), await booked('unresolved:%')]).toEqual([price(), price()]);
      await expectBalancedBooks();

      await scene().pay(mixed!.address, 12_34n);
      await screen({ known: known() });
      await scene().rounds(3);
      expect(await scene().held(mixed!.address)).toBe(price());
    });

    it('stays at an address that sends its own tokens, where no endpoint takes EIP-7702, as all of it does where its key is offline', async () => {
      const [mixed] = await scene().paid(1);
      await screen();
      await others().addCoin(mixed!.address);
      await payFrom(Wallet.createRandom().address, mixed!.address);
      await scene().sweep({ fallback: { until: Number.POSITIVE_INFINITY } });
      expect(await scene().held(mixed!.address)).toBe(isSeedless ? 2n * price() : price());
      expect(await scene().held(scene().treasury)).toBe(isSeedless ? 0n : price());
      expect(await scene().hold()).toBe(isSeedless ? 'keys_offline' : null);
    });
  });

  it('an oracle that does not answer keeps every deposit where it is, until it answers', async () => {
    await others().rpc('anvil_setCode', ORACLE, '0x');
    const sessions = await scene().paid(2);
    await screen();
    await scene().rounds(3);
    for (const { address } of sessions) expect(await scene().held(address)).toBe(price());
    await others().rpc('anvil_setCode', ORACLE, compileOracle());
    scene().later(60);
    await screen();
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    await expectBalancedBooks();
  });
});
