// The word that names the refund wallet in settings of wallets, for the service and for the signer.

export const REFUND_WALLET_WORD = 'refund-wallet';
