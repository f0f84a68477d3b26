import { expect, test } from 'vitest';
import { hsmFindings } from './signer-checks';

test('fails while payments wait for the HSM of the signer, and says nothing without an HSM or while it answers', () => {
  expect([hsmFindings(undefined), hsmFindings(null)]).toEqual([[], []]);
  const trouble = 'There is no HSM with the label "a" (present: none): connect it, or correct SIGNER_HSM_LABEL.';
  expect(hsmFindings(trouble)).toEqual([
    {
      ...{ check: 'signer', state: 'fail' },
      message: `payments wait for the HSM of the signer: ${trouble}`,
      todo: 'Read docs/operate.md, “Keys in an HSM”.',
    },
  ]);
});
