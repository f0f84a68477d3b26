// Whether a contract can be executed on the present state. This is checked when a transaction is sent and again when it is
// included in a block.

import { addressIn, resourceOf, sun } from './parameters';
import { permissionsIn, UPDATE_FEE } from './permissions';
import { invalid } from './rejected';
import { MAX_FEE_LIMIT, PRICES } from './resources';
import { delegatable, withdrawable } from './stakes';
import { delegationKey, type TronState } from './state';
import type { Transaction } from './transaction';

/** The minimum stake: one TRX. */
const LEAST_STAKE = 1_000_000n;
/** Parts of a stake that an account may be unstaking at once. */
const MOST_UNSTAKING = 32;

/** Throws Rejected when the contract cannot be executed. */
export function validateContract(state: TronState, { type, value, owner, feeLimit }: Transaction): void {
  if (!state.isActive(owner)) throw invalid(`account [${owner}] does not exist`);
  const { balance } = state.account(owner);
  switch (type) {
    case 'TransferContract': {
      const [to, amount] = [addressIn(value, 'to_address'), sun(value.amount)];
      if (to === owner) throw invalid('Cannot transfer TRX to yourself.');
      if (amount <= 0n) throw invalid('Amount must be greater than 0.');
      if (state.account(to).contract) throw invalid('Cannot transfer TRX to a smartContract.');
      const needed = amount + (state.isActive(to) ? 0n : PRICES.activation);
      if (balance < needed) throw invalid('Validate TransferContract error, balance is not sufficient.');
      return;
    }
    case 'AccountCreateContract':
      if (state.isActive(addressIn(value, 'account_address'))) throw invalid('Account has existed');
      if (balance < PRICES.activation) throw invalid('Validate CreateAccountActuator error, insufficient fee.');
      return;
    case 'TriggerSmartContract':
      checkFeeLimit(feeLimit);
      if (!state.account(addressIn(value, 'contract_address')).contract)
        throw invalid('No contract or not a valid smart contract');
      if (balance < sun(value.call_value)) throw invalid('balance is not sufficient.');
      return;
    case 'CreateSmartContract': {
      checkFeeLimit(feeLimit);
      const { origin_address: origin } = (value.new_contract ?? {}) as { origin_address?: string };
      if (origin !== owner) throw invalid('OwnerAddress is not equals OriginAddress');
      return;
    }
    case 'AccountPermissionUpdateContract':
      permissionsIn(value);
      if (balance < UPDATE_FEE) throw invalid('Account resource insufficient error.');
      return;
    case 'FreezeBalanceV2Contract': {
      const amount = sun(value.frozen_balance);
      if (amount < LEAST_STAKE) throw invalid('frozenBalance must be greater than or equal to 1 TRX');
      if (amount > balance) throw invalid('frozenBalance must be less than or equal to accountBalance');
      return;
    }
    case 'UnfreezeBalanceV2Contract': {
      const [amount, { own, lent }] = [sun(value.unfreeze_balance), state.account(owner).stakes[resourceOf(value)]];
      if (amount <= 0n || amount > own - lent) throw invalid(`Invalid unfreeze_balance, [${amount}] is error.`);
      if (state.account(owner).unstaking.filter(({ until }) => until > state.time).length >= MOST_UNSTAKING)
        throw invalid('Invalid unfreeze operation, unfreezing times is over limit');
      return;
    }
    case 'WithdrawExpireUnfreezeContract':
      if (withdrawable(state, owner) === 0n) throw invalid('no unFreeze balance to withdraw ');
      return;
    case 'DelegateResourceContract': {
      const [receiver, amount] = [addressIn(value, 'receiver_address'), sun(value.balance)];
      if (receiver === owner) throw invalid('receiverAddress must not be the same as ownerAddress');
      if (!state.isActive(receiver)) throw invalid(`Account[${receiver}] not exists`);
      if (state.account(receiver).contract) throw invalid('Do not allow delegate resources to contract addresses');
      if (amount < LEAST_STAKE) throw invalid('delegateBalance must be greater than or equal to 1 TRX');
      if (amount > delegatable(state, owner, resourceOf(value)))
        throw invalid('delegateBalance must be less than or equal to available FreezeV2 balance');
      return;
    }
    case 'UnDelegateResourceContract': {
      const lent = state.delegations.get(delegationKey(owner, addressIn(value, 'receiver_address'), resourceOf(value)));
      const amount = sun(value.balance);
      if (amount <= 0n || amount > (lent ?? 0n)) throw invalid(`insufficient delegatedFrozenBalance(${lent ?? 0n})`);
      return;
    }
  }
  return type satisfies never;
}

function checkFeeLimit(feeLimit: number): void {
  if (feeLimit < 0 || feeLimit > MAX_FEE_LIMIT) throw invalid(`feeLimit must be >= 0 and <= ${MAX_FEE_LIMIT}`);
}
