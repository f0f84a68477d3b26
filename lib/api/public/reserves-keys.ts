// The public keys that verify proofs of reserves, as JSON for programs and in PEM for every tool. Merchants save them: a key that is only
// shown here could be exchanged together with a proof.

import type { ApiResponse } from '@/lib/platform/http';
import { jsonResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import type { Services } from '@/lib/api/services';
import { listKeys } from '@/lib/ledger/proofs/document';
import { pemOf } from '@/lib/ledger/proofs/key';
import { checkPageRate } from './session-status';

/** GET /reserves-keys.json: 200, or 429 when this address sends too many requests. */
export async function answerReservesKeys(services: Services, address: string): Promise<ApiResponse> {
  try {
    await checkPageRate(services, address);
    const keys = (await listKeys(services.pool)).map(({ publicKey, since, until }) => ({
      algorithm: 'Ed25519',
      pem: pemOf(publicKey),
      first_proof_at: since.toISOString(),
      last_proof_at: until.toISOString(),
    }));
    return jsonResponse(200, JSON.stringify({ keys }));
  } catch (error) {
    const requestId = newRequestId();
    return errorResponse(services, toServiceError(services, error, requestId), requestId);
  }
}
