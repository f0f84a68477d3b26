'use client';
// Charging an amount: the sale is made once, however often it is pressed.

import { useRef } from 'react';
import { newName } from '@/components/dashboard/new-name';
import { useAction } from '@/components/dashboard/use-action';

/** What is charged. `amount`: minor units of the currency. */
export type Charge = { readonly amount: number; readonly currency: string; readonly note?: string };

/**
 * Charges at a store's paths `api`, and tells `onSale` which session it made. Pressed again while the last one was not answered,
 * the same charge has the same name and is the same sale.
 */
export function useCharge(api: string, onSale: (id: string, charge: Charge) => void) {
  const sent = useRef<{ said: string; name: string }>(null);
  return useAction<Charge, { id: string; charge: Charge }>(
    async (call, charge) => {
      const said = JSON.stringify(charge);
      if (sent.current?.said !== said) sent.current = { said, name: newName() };
      const answer = await call.post<{ id: string }>(`${api}/till/sales`, { ...charge, name: sent.current.name });
      return 'fault' in answer ? answer : { value: { id: answer.value.id, charge } };
    },
    {
      isQuiet: true,
      onDone: ({ id, charge }) => {
        sent.current = null;
        onSale(id, charge);
      },
    },
  );
}
