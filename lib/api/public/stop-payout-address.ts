// The button behind the link of a mail about a payout address: POST, from our own page only, with a redirect to the page that shows the
// result. There is no sign-in: the link's token is unguessable, and stopping moves no money.

import { stopByToken } from '@/lib/payouts/addresses/stop';
import type { ApiResponse } from '@/lib/platform/http';
import type { Services } from '@/lib/api/services';
import { answerForm, redirect } from './form';

/** Never throws. 303 to the link's page for every form of ours, also for an unknown token, whose page says so. */
export const answerStopPayoutAddress = (
  services: Services,
  { token, request }: { readonly token: string; readonly request: Request },
): Promise<ApiResponse> =>
  answerForm(services, request, async (_, client) => {
    await stopByToken(services, token, client);
    return redirect(`/payout-addresses/stop/${encodeURIComponent(token)}`);
  });
