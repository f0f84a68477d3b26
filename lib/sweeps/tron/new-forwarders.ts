// Which contract gives new deposit addresses on TRON: the one that the settings of the service and of the signer name, if the chain has it
// with the signer's wallets in its code. Otherwise new addresses are those of keys, which can always be emptied.

import { ChainError } from '@/lib/networks/chain';
import { openTronSweepChain } from '@/lib/networks/families/tron/sweeping/chain';
import { forwarderFactories, newFactoryOn } from '@/lib/networks/families/tron/sweeping/factories';
import { sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import { presentTreasuries, resolveTreasuries, treasuryWallets } from '@/lib/networks/treasury-wallets';
import type { Context } from '@/lib/platform/context';
import { SignerClient, type SignerState } from '@/lib/signer/client';
import { AddressSourceError, type NewForwarders } from '@/lib/treasury/wallets/address-source';
import { openForwarderCheck, type IsOurs } from './forwarders';

type Opening = ChainDeps & Pick<Context, 'config'>;
/** One network whose settings name a contract. */
type Offer = { readonly chain: FollowedChain; readonly factory: string; readonly isOurs: IsOurs };

/**
 * The contract of new addresses, null for addresses of keys; and `pooled`, that of unused addresses that may still be given. Without an
 * answer of the signer or the network the two differ: no address is added that may be useless, and none is lost that was right before.
 * Throws an Error for unusable settings.
 */
export function openNewForwarders(
  context: Opening,
  chains: readonly FollowedChain[],
  signer: Pick<SignerClient, 'state'> | null = signerOf(context.config),
): NewForwarders {
  const named = forwarderFactories(context.config.TRON_FORWARDERS);
  const offers = chains.flatMap((chain): Offer[] => {
    const factory = newFactoryOn(named, chain.spec);
    if (factory === null) return [];
    const options = sendingOptions(context.config, context, chain);
    return [{ chain, factory, isOurs: openForwarderCheck(openTronSweepChain(options), context.clock) }];
  });
  return async (run, environment) => {
    const offer = offers.find(({ chain }) => chain.environment === environment);
    if (!offer || !signer) return { factory: null, pooled: null };
    const { factory } = offer;
    const refusal = await refusalOf(run, offer, signer);
    if (refusal === null) return { factory, pooled: factory };
    const { why, isKnown } = refusal;
    const about = { environment, network: offer.chain.network, factory };
    run.log.warn(about, `new deposit addresses on TRON are those of keys: ${why}`);
    return { factory: null, pooled: isKnown ? null : factory };
  };
}

const signerOf = ({ SIGNER_SOCKET: socket }: Opening['config']) => (socket ? new SignerClient(socket) : null);

/** `isKnown`: the signer or the network said so; otherwise one of them does not answer. */
type Reason = { readonly why: string; readonly isKnown: boolean };
const known = (why: string): Reason => ({ why, isKnown: true });
const unknown = (why: string): Reason => ({ why, isKnown: false });

/** Why the contract gives no new addresses now, or null. */
async function refusalOf(
  { config }: Context,
  { chain: { spec }, factory, isOurs }: Offer,
  signer: Pick<SignerClient, 'state'>,
): Promise<Reason | null> {
  try {
    const state = await signer.state();
    const wallets = sweepsOn(state, spec);
    if (wallets?.forwarders?.[0] !== factory) return known('the signer names another contract, or none');
    const treasuries = resolveTreasuries(presentTreasuries(treasuryWallets(config.TREASURY_WALLETS)), state.wallets);
    const own = treasuries.find((one) => one.spec.network === spec.network && one.spec.chain === spec.chain);
    const isTreasury = own?.address === wallets.treasury;
    if (!isTreasury) return known('the signer sweeps to another treasury than TREASURY_WALLETS names');
    return (await isOurs(factory, wallets)) ? null : known('the chain has no contract of these wallets there');
  } catch (error) {
    if (error instanceof ChainError) return unknown('the network does not say what is at the address of the contract');
    if (error instanceof AddressSourceError) return unknown('the signer does not answer');
    throw error;
  }
}

const sweepsOn = ({ sweeps = [] }: SignerState, { environment, network, chain }: FollowedChain['spec']) =>
  sweeps.find((one) => one.environment === environment && one.network === `${network}@${chain}`);
