// Stops the payout address of a mail's link when the button on its page is pressed.

import { answerStopPayoutAddress } from '@/lib/api/public/stop-payout-address';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

type Route = { readonly params: Promise<{ token: string }> };

export async function POST(request: Request, { params }: Route): Promise<Response> {
  const { token } = await params;
  return toResponse(await answerStopPayoutAddress(services(), { token, request }));
}
