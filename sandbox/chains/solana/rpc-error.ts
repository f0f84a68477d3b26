// An error response to a call, with the codes and messages of real nodes (agave's custom errors).

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const BLOCK_CLEANED_UP = -32001;
const PREFLIGHT_FAILURE = -32002;
const SIGNATURE_VERIFICATION_FAILURE = -32003;
const BLOCK_NOT_AVAILABLE = -32004;
const SLOT_SKIPPED = -32007;
const UNSUPPORTED_VERSION = -32015;
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;

export const internalError = (error: Error) => new RpcError(INTERNAL_ERROR, `Internal error: ${error.message}`);

export const invalidParams = (message: string) => new RpcError(INVALID_PARAMS, message);

export const blockCleanedUp = (slot: number, first: number) =>
  new RpcError(BLOCK_CLEANED_UP, `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`);

export const blockNotAvailable = (slot: number) =>
  new RpcError(BLOCK_NOT_AVAILABLE, `Block not available for slot ${slot}`);

export const slotSkipped = (slot: number) =>
  new RpcError(SLOT_SKIPPED, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);

export const badSignature = () =>
  new RpcError(SIGNATURE_VERIFICATION_FAILURE, 'Transaction signature verification failure');

export const minContextSlotNotReached = (contextSlot: number) =>
  new RpcError(MIN_CONTEXT_SLOT_NOT_REACHED, 'Minimum context slot has not been reached', { contextSlot });

export const unsupportedVersion = (version: number) =>
  new RpcError(
    UNSUPPORTED_VERSION,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the ` +
      `following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );

export const preflightFailed = (text: string, simulation: object) =>
  new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${text}`, simulation);
