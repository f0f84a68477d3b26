// A wallet that no other wallet's transactions mention, for tests that compare its transactions.

import type { OwnTransactionQuery } from '@/lib/networks/sending/send';

export const noMentions: OwnTransactionQuery['mentions'] = { among: async () => new Set(), add: async () => {} };
