// Refusals of the dashboard's own requests: about the signed-in user, and about data that changed meanwhile. They are rows of
// lib/platform/errors/errors. They have a file of their own because the signed API never answers them.

export const DASHBOARD_ERRORS = {
  not_signed_in: {
    status: 401,
    message: 'You are not signed in, or your sign-in has ended. Sign in again.',
  },
  sign_in_failed: {
    status: 401,
    message: 'The e-mail address, the password or the code is wrong.',
  },
  second_factor_needed: {
    status: 403,
    message: 'The password was right; the second factor is still to be shown.',
  },
  operator_factor_needed: {
    status: 403,
    message: 'An operator needs a second factor. Set up an authenticator or a passkey on your account page.',
  },
  FACTOR_SETUP_CLOSED: {
    status: 403,
    message:
      'Your first second factor has to be allowed. Ask another operator, or run npm run attest-operator -- factor EMAIL on the server, then set it up within an hour.',
  },
  MAILBOX_PROOF_REQUIRED: {
    status: 403,
    message:
      'Prove first that the mailbox of this account is yours: sign out, ask for a new password by mail, and do this within an hour after you set it.',
  },
  step_up_required: {
    status: 403,
    message: 'Show your password and second factor again: this needs them to be at most five minutes old.',
  },
  permission_denied: {
    status: 403,
    message: 'Your role does not allow this. Ask an owner of the store.',
  },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    message:
      'Your account needs a second factor to work with live money. Set up an authenticator or a passkey on your account page. Test mode needs none.',
  },
  OWNER_WITHOUT_FACTOR: {
    status: 409,
    message:
      'Every owner of the store needs a second factor before it goes live. Ask the owners without one to set it up on their account page.',
  },
  STORE_WITHOUT_CONTACT: {
    status: 409,
    message:
      'The store needs a contact before it goes live: an e-mail or https address where its customers find help. Its owner sets it on the page Branding.',
  },
  origin_refused: {
    status: 403,
    message: 'The request was not made by a page of this service.',
  },
  link_invalid: {
    status: 400,
    message: 'The link was used before, is too old, or was meant for another person. Ask for a new one.',
  },
  STORE_NOT_FOUND: { status: 404, message: 'There is no such store.' },
  STORE_CHANGED: {
    status: 409,
    message: 'The store was changed since you read it. Read it again, then decide.',
  },
  APPROVAL_CHANGED: {
    status: 409,
    message: 'What is to be approved was changed or decided since you read it. Read it again, then decide.',
  },
  APPROVAL_BY_TWO: {
    status: 403,
    message: 'You cannot be the second operator for this one. Another operator has to approve it.',
  },
  PASSKEY_NEEDED: {
    status: 403,
    message:
      'The signer wants your passkey for this approval. Add a passkey on your account page, and have it put on the signer’s list.',
  },
  DIFFERENCE_NOT_FOUND: {
    status: 404,
    message: 'There is no such open discrepancy.',
  },
  NOTHING_TO_RETRY: {
    status: 404,
    message: 'There is nothing of this number that failed and could be tried again.',
  },
  LAST_OWNER: {
    status: 400,
    message: 'A store always has an owner, and this is the last one. Make another member an owner first.',
  },
  LAST_FACTOR: {
    status: 400,
    message:
      'This is your last second factor, and an operator or an owner of a live store always has one. Set up another one first.',
  },
  NOT_YOURSELF: {
    status: 400,
    message: 'You cannot remove your own rights. Ask another operator.',
  },
} as const;
