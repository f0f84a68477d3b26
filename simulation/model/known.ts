// Three differences that are known: there the product is wrong, and the histories go on. A strict history tells them too, and the
// test of this folder fails when one of them is gone.

import { CENT, fine, sum } from '@/simulation/oracles/naive';
import type { Reading } from '@/simulation/oracles/naive-types';
import type { Model } from './model';

/**
 * Payments below a cent that arrive above the price belong to the store and need no decision. From a cent in all, the product
 * calls the session overpaid, and nothing ends that.
 */
export function knownException({ product, naive, terms, isStrict }: Model): string {
  if (isStrict || product.exception !== 'over' || naive.exception() !== 'none') return product.exception;
  const above = sum(naive.rows.map(({ transfer, price }) => fine(price, transfer.decimals))) - terms.dueCents * CENT;
  return above >= CENT ? 'none' : product.exception;
}

/**
 * The settling that completes a session counts accepted payments that the price does not need and that are open again. The event
 * and the stored amount say so until the session is settled once more, which gives the right amount.
 */
export function settleProduct({ product, isStrict }: Pick<Model, 'product' | 'isStrict'>, reading: Reading): void {
  const wasCompleted = product.status === 'completed';
  product.settle(reading);
  if (product.status === 'completed' && !wasCompleted && !isStrict) product.settle(reading);
}

/**
 * A canceled session counts nothing, but amounts below a cent that are a cent together stay counted until it is settled the next
 * time.
 */
export function settleCanceled({ product, isStrict }: Pick<Model, 'product' | 'isStrict'>, reading: Reading): void {
  if (!isStrict) product.settle(reading);
}
