// Pays a test payment with test money when the button on its page is pressed.

import { services } from '@/lib/api/services';
import { answerTestMoney } from '@/lib/api/public/test-money';
import { toResponse } from '@/lib/api/adapters/next-adapter';

type Route = { readonly params: Promise<{ session_id: string }> };

export async function POST(request: Request, { params }: Route): Promise<Response> {
  const { session_id } = await params;
  return toResponse(await answerTestMoney(services(), session_id, request));
}
