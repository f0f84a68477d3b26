// A customer's wallet on the local Solana chain, built on Solana's own libraries, and the balances of token accounts.

import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { base58 } from '@scure/base';

const CENT_DIGITS = 2;

export class SolanaWallet {
  #connection;
  #payer;

  /** @param {{ rpc_url: string, tokens: Record<string, { mint: string, decimals: number }>, payer: { secret_key: string } }} network */
  constructor(network) {
    this.network = network;
    this.#connection = new Connection(network.rpc_url, 'confirmed');
    this.#payer = Keypair.fromSecretKey(base58.decode(network.payer.secret_key));
  }

  /** Sends a token amount in cents, and resolves when the node has accepted the transaction. */
  async pay(currency, to, cents) {
    const { mint, decimals } = this.#token(currency);
    const owner = new PublicKey(to);
    const account = getAssociatedTokenAddressSync(mint, owner);
    const { publicKey: payer } = this.#payer;
    const transaction = new Transaction().add(
      createAssociatedTokenAccountIdempotentInstruction(payer, account, owner, mint),
      createTransferCheckedInstruction(
        getAssociatedTokenAddressSync(mint, payer),
        mint,
        account,
        payer,
        BigInt(cents) * 10n ** BigInt(decimals - CENT_DIGITS),
        decimals,
      ),
    );
    transaction.feePayer = payer;
    transaction.recentBlockhash = (await this.#connection.getLatestBlockhash()).blockhash;
    transaction.sign(this.#payer);
    await this.#connection.sendRawTransaction(transaction.serialize());
  }

  /**
   * Balances of these addresses' token accounts, which never spent anything, and the number of transactions that paid
   * them: by address as { cents, count }.
   */
  async received(all) {
    const found = new Map();
    for (const address of all.filter(isSolana)) {
      for (const currency of Object.keys(this.network.tokens)) {
        const { mint, decimals } = this.#token(currency);
        const account = getAssociatedTokenAddressSync(mint, new PublicKey(address));
        const held = await this.#connection.getTokenAccountBalance(account).catch(() => null);
        if (!held) continue;
        const signatures = await this.#connection.getSignaturesForAddress(account);
        const before = found.get(address) ?? { cents: 0n, count: 0 };
        found.set(address, {
          cents: before.cents + BigInt(held.value.amount) / 10n ** BigInt(decimals - CENT_DIGITS),
          count: before.count + signatures.filter(({ err }) => err === null).length,
        });
      }
    }
    return found;
  }

  /** All transactions that took tokens from an address, as { hash, currency, to, cents }. */
  async sentBy(from) {
    const sent = [];
    for (const currency of Object.keys(this.network.tokens)) {
      const { mint, decimals } = this.#token(currency);
      const account = getAssociatedTokenAddressSync(mint, new PublicKey(from));
      for (const { signature, err } of await this.#allSignatures(account)) {
        if (err !== null) continue;
        const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
        const { meta } = await this.#connection.getTransaction(signature, options);
        const moved = movedTokens(meta, mint.toBase58());
        const taken = -(moved.get(from) ?? 0n);
        if (taken <= 0n) continue;
        const [to] = [...moved].find(([, units]) => units > 0n);
        sent.push({ hash: signature, currency, to, cents: taken / 10n ** BigInt(decimals - CENT_DIGITS) });
      }
    }
    return sent;
  }

  async #allSignatures(account) {
    const all = [];
    for (let before; ; before = all.at(-1).signature) {
      const page = await this.#connection.getSignaturesForAddress(account, {
        limit: 1000,
        ...(before ? { before } : {}),
      });
      all.push(...page);
      if (page.length < 1000) return all;
    }
  }

  /** An address's balance, in base units. */
  async balance(currency, of) {
    const account = getAssociatedTokenAddressSync(this.#token(currency).mint, new PublicKey(of));
    return BigInt((await this.#connection.getTokenAccountBalance(account)).value.amount);
  }

  #token(currency) {
    const { mint, decimals } = this.network.tokens[currency];
    return { mint: new PublicKey(mint), decimals };
  }

  close() {}
}

/** A transaction's change of a token balance, by owner, in base units. */
function movedTokens({ preTokenBalances: before, postTokenBalances: after }, mint) {
  const moved = new Map();
  for (const [list, sign] of [
    [before, -1n],
    [after, 1n],
  ]) {
    for (const one of list.filter((held) => held.mint === mint)) {
      moved.set(one.owner, (moved.get(one.owner) ?? 0n) + sign * BigInt(one.uiTokenAmount.amount));
    }
  }
  return moved;
}

/** 32 bytes; TRON's addresses are 25. */
function isSolana(text) {
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}
