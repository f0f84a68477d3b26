// What names the refund wallet in settings of wallets, for the service and for the signer.

export const REFUND_WALLET_NAME = 'refund-wallet';
