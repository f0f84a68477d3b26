// Where the dashboard shows a refund.

/** The path of a refund's page, which reads it by the service's own name of it. */
export const refundPath = (of: {
  readonly storeId: string;
  readonly environment: string;
  readonly id: string;
}): string => `/dashboard/${of.storeId}/${of.environment}/refunds/${encodeURIComponent(of.id)}`;
