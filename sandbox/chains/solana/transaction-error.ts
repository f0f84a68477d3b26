// The reason of a transaction's failure, as nodes write it: a name, or an object such as { InstructionError: [0, { Custom: 1 }]
// }.

import type { FailedTransactionMetadata } from 'litesvm';

export type TransactionError = string | { readonly [kind: string]: unknown };

/** Runtime errors in litesvm's numbering, which is that of the runtime's own list. */
const TRANSACTION_ERRORS: readonly string[] =
  `AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee
  AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure
  InvalidProgramForExecution SanitizeFailure ClusterMaintenance AccountBorrowOutstanding WouldExceedMaxBlockCostLimit
  UnsupportedVersion InvalidWritableAccount WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit
  TooManyAccountLocks AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData
  InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit
  MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction
  ProgramCacheHitMaxLimit CommitCancelled`.split(/\s+/);
const INSTRUCTION_ERRORS: readonly string[] =
  `GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds
  IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction
  ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified
  DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged
  AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError
  ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId CallDepth
  MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc ComputationalBudgetExceeded
  PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete ProgramFailedToCompile Immutable
  IncorrectAuthority AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner
  MaxAccountsDataAllocationsExceeded MaxAccountsExceeded MaxInstructionTraceLengthExceeded
  BuiltinProgramsMustConsumeComputeUnits BorshIoError`.split(/\s+/);

export const BLOCKHASH_NOT_FOUND = 'BlockhashNotFound';
export const ALREADY_PROCESSED = 'AlreadyProcessed';
export const SIGNATURE_FAILURE = 'SignatureFailure';

/** The error of a failed execution. */
export function errorOf(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? `Unknown${error}`;
  if ('accountIndex' in error) {
    const kind = error.constructor.name.replace('TransactionError', '');
    return { [kind]: { account_index: error.accountIndex } };
  }
  return 'err' in error
    ? { InstructionError: [error.index, instructionError(error.err())] }
    : { DuplicateInstruction: error.index };
}

/** Whether a transaction with this error is in a block anyway, after paying its fee. */
export const isTakenIntoBlock = (error: TransactionError): boolean => typeof error !== 'string';

/** The error as a sentence, as nodes and wallets show it. */
export function errorText(error: TransactionError): string {
  if (error === BLOCKHASH_NOT_FOUND) return 'Blockhash not found';
  if (error === ALREADY_PROCESSED) return 'This transaction has already been processed';
  if (typeof error === 'string') return error;
  const instruction = error['InstructionError'] as [number, string | { Custom?: number }] | undefined;
  if (!instruction) return JSON.stringify(error);
  const [index, cause] = instruction;
  const code = typeof cause === 'string' ? undefined : cause.Custom;
  const text = code === undefined ? JSON.stringify(cause) : `custom program error: 0x${code.toString(16)}`;
  return `Error processing Instruction ${index}: ${text}`;
}

/** litesvm does not export the classes of its instruction errors; these are their fields. */
type InstructionFault = number | { readonly code: number } | { readonly msg: string };

function instructionError(fault: InstructionFault): unknown {
  if (typeof fault === 'number') return INSTRUCTION_ERRORS[fault] ?? `Unknown${fault}`;
  return 'code' in fault ? { Custom: fault.code } : { BorshIoError: fault.msg };
}
