// GET /openapi.json: the document as text, generated once per process. Public within the rate limit of the public pages.

import { config, type Config } from '@/lib/platform/config/config';
import { newRequestId } from '@/lib/platform/ids';
import type { ApiResponse } from '@/lib/platform/http';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { checkPageRate } from '@/lib/api/public/session-status';
import type { Services } from '@/lib/api/services';
import { openApiDocument, type OpenApiDocument } from './document';

/** How long clients may cache it: it changes with a release only. */
const KEPT_SECONDS = 300;

type Made = { readonly document: OpenApiDocument; readonly text: string };
const made = new WeakMap<Config, Made>();

/** The document of this installation. */
export const documentOf = (settings: Config = config()): OpenApiDocument => once(settings).document;

/** 200, or 429 when this address sends too many requests. Other origins may read it because it contains no secrets. */
export async function answerOpenApi(services: Services, address: string): Promise<ApiResponse> {
  try {
    await checkPageRate(services, address);
    return {
      status: 200,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': `public, max-age=${KEPT_SECONDS}`,
        'Access-Control-Allow-Origin': '*',
      },
      body: once(services.config).text,
    };
  } catch (error) {
    const requestId = newRequestId();
    return errorResponse(services, toServiceError(services, error, requestId), requestId);
  }
}

function once(settings: Config): Made {
  const found = made.get(settings);
  if (found) return found;
  const document = openApiDocument(settings.PUBLIC_URL);
  const fresh = { document, text: JSON.stringify(document) };
  made.set(settings, fresh);
  return fresh;
}
