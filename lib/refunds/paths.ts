// The dashboard's paths of refunds and payouts.

/** The path of a refund's page; `id` is the service's own id of the refund. */
export const refundPath = (of: {
  readonly storeId: string;
  readonly environment: string;
  readonly id: string;
}): string => `/dashboard/${of.storeId}/${of.environment}/refunds/${encodeURIComponent(of.id)}`;

/** The path of a store's payouts. */
export const payoutsPath = ({
  storeId,
  environment,
}: {
  readonly storeId: string;
  readonly environment: string;
}): string => `/dashboard/${storeId}/${environment}/payouts`;
