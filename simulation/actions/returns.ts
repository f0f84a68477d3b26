// What the operator does to bring money back from the cold wallet, one command at a time: requests a return, signs it on the offline machine,
// sends the signatures, and gives a return up.

import { decimalToText } from '@/lib/money/amounts';
import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import { COLD, COLD_NONCES } from '@/simulation/parties';
import { runOnline, signedFileOf, signOffline, type Ran } from '@/simulation/returns/machines';
import { readSnapshot } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import { SPONSORS_COIN } from '@/simulation/sweeping';
import type { World } from '@/simulation/world';
import type { Action, Scene } from './action';
import { gainedBy } from './cold-orders';
import type { Means } from './orders';
import { runSome } from './product';

/** The step of the worker that follows signed returns. */
const FOLLOW = /^follow cold returns/;
/** Characters of the line that a command printed last. */
const LONGEST = 160;

/** How a command ended, in words. */
const ranAs = ({ code, line }: Ran): string =>
  code === null ? 'the command ends early' : code === 0 ? 'done' : `exit code ${code} (${line.slice(0, LONGEST)})`;

export const followReturns = (world: World): Promise<unknown> => runSome(world, FOLLOW);

/** The operator gives the cold wallet coin for its fees, and nonce accounts where they are needed. */
function supply({ records }: World, chain: SimulatedChain): void {
  const { supplied } = records.returns;
  if (supplied.has(chain.network)) return;
  supplied.add(chain.network);
  const wallet = COLD[chain.spec.family];
  chain.giveCoin?.(wallet, SPONSORS_COIN[chain.spec.family]);
  for (const account of COLD_NONCES) chain.openNonce?.(account, wallet);
}

type Requested = { readonly file: string | null; readonly ran: Ran; readonly says: string };

/** Cents that a return may have: what the cold wallet holds, by the chain alone. */
export const returnable = (means: Means): bigint =>
  gainedBy(means, COLD[means.chain.spec.family]) / centOf(means.chain, means.currency);

/** Requests transfers of these cents. `file`: where the request is, also when it was not stored. */
export async function request(
  { world }: Pick<Scene, 'world'>,
  { chain, currency }: Means,
  amounts: readonly bigint[],
): Promise<Requested> {
  supply(world, chain);
  const { files, requests } = world.records.returns;
  const known = new Set(files.keys());
  const nonces = chain.spec.family === 'solana' ? COLD_NONCES.slice(0, amounts.length) : [];
  const ran = await runOnline(world, [
    ...['request', chain.network, '--test'],
    ...amounts.flatMap((amount) => [currency, decimalToText({ units: amount, digits: 2 })]),
    ...nonces.flatMap((account) => ['--nonce', account]),
  ]);
  const file = [...files.keys()].find((name) => !known.has(name)) ?? null;
  if (file !== null) requests.push(file);
  const what = amounts.map((amount) => cents(amount)).join(' and ');
  return {
    file,
    ran,
    says: `the operator requests ${what} ${currency} on ${chain.network} from the cold wallet: ${ranAs(ran)}`,
  };
}

export async function sign(world: World, file: string): Promise<string> {
  return `the offline machine signs: ${ranAs(await signOffline(world, file))}`;
}

/** Sends the signatures of a request. Without `pause`, the command does not wait for its end. */
export async function sendSigned(world: World, file: string, pause?: () => Promise<void>): Promise<string> {
  const words = ['send', signedFileOf(file), ...(pause ? [] : ['--no-wait'])];
  return `the operator sends it: ${ranAs(await runOnline(world, words, pause ? { pause } : {}))}`;
}

/** The operator gives a return up, if the product lets them, and notes the newest final block of then. */
export async function giveUp(
  world: World,
  { id, network }: { readonly id: string; readonly network: string },
): Promise<string> {
  const final = world.chains.find((one) => one.network === network)?.final() ?? 0;
  const ran = await runOnline(world, ['give-up', id, '--reason', 'no endpoint knows it'], { typed: id });
  const { cold_returns: rows } = await readSnapshot(world.harness.database.pool);
  const { givenUp } = world.records.returns;
  if (rows.some((one) => one.id === id && one.outcome === 'given_up') && !givenUp.has(id)) givenUp.set(id, final);
  return `the operator gives it up: ${ranAs(ran)}`;
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const hasCold = ({ harness }: World): boolean => harness.signer.settings.cold !== null;

/** Any part of what the cold wallet has, or a little more. */
async function requestSome(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  if (!hasCold(world)) return null;
  const means = world.chains
    .flatMap((chain) => Object.keys(chain.spec.tokens).map((currency) => ({ chain, currency })))
    .filter((one) => returnable(one) > 0n);
  if (means.length === 0) return null;
  const chosen = random.pick(means);
  const most = returnable(chosen) + (random.chance(10) ? 100n : 0n);
  const amount = BigInt(random.int(1, Number(most < 100_000_000n ? most : 100_000_000n)));
  return capital((await request(scene, chosen, [amount])).says);
}

/** One of the last requests, which may be superseded, sent or expired by now. */
function lastRequest({ world, random }: Scene): string | null {
  const { requests } = world.records.returns;
  return requests.length === 0 ? null : random.pick(requests.slice(-3));
}

async function signSome(scene: Scene): Promise<string | null> {
  const file = lastRequest(scene);
  return file === null ? null : capital(await sign(scene.world, file));
}

async function sendSome(scene: Scene): Promise<string | null> {
  const file = lastRequest(scene);
  return file === null ? null : capital(await sendSigned(scene.world, file));
}

async function giveUpSome({ world, random, now }: Scene): Promise<string | null> {
  const open = now.cold_returns.filter(({ is_signed: isSigned, outcome }) => isSigned && outcome === null);
  return open.length === 0 ? null : capital(await giveUp(world, random.pick(open)));
}

export const RETURN_ACTIONS: readonly Action[] = [
  { name: 'request a return', weight: 4, act: requestSome },
  { name: 'sign a return', weight: 5, act: signSome },
  { name: 'send a return', weight: 6, act: sendSome },
  { name: 'give up a return', weight: 2, act: giveUpSome },
];
