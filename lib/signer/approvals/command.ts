// The `approvers` command. `list` prints the signer's list of approvers, `add` enrols a passkey from the approver code
// on the operator's account page, and `remove` removes a person's passkeys. Changes need a person at the signer's
// terminal.

import { approverFingerprint, readApproverCode, type ApproverKey } from '@/lib/signer/attestations/approver-code';
import { PERSON, readApprovers, writeApprovers, type Approver } from './approvers';
import type { SignerSettings } from '@/lib/signer/settings';
import { requireTerminal, type Terminal } from '@/lib/signer/keystore/terminal';

/**
 * Runs one action. The signer reads the list at each approval, so it needs no restart. Throws when nothing was changed.
 */
export async function approvers(
  settings: SignerSettings,
  action: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const file = settings.SIGNER_APPROVERS_FILE;
  if (!file) throw new Error('SIGNER_APPROVERS_FILE is needed: the path of the list of approvers.');
  switch (action) {
    case 'list':
      return list(readApprovers(file), terminal);
    case 'add':
      return add(file, terminal);
    case 'remove':
      return remove(file, terminal);
    default:
      throw new Error('The command is "approvers list", "approvers add" or "approvers remove".');
  }
}

function list(known: readonly Approver[], terminal: Terminal): void {
  for (const one of known) terminal.print(`${approverFingerprint(one)}  ${one.person}`);
  const people = new Set(known.map(({ person }) => person)).size;
  terminal.print(`${known.length} passkeys of ${people} people. Two different people approve a refund.`);
}

async function add(file: string, terminal: Terminal): Promise<void> {
  requireTerminal(terminal);
  const key = readKey(await terminal.prompt('Approver code from the account page (it is not shown): '));
  const known = readApprovers(file);
  if (known.some(({ credentialId }) => credentialId === key.credentialId)) {
    throw new Error('This passkey is on the list already. Nothing was done.');
  }
  const person = (await terminal.prompt('Name of the person (it is not shown): ')).trim();
  if (!PERSON.test(person)) throw new Error('A name has 1 to 60 visible characters. Nothing was done.');
  terminal.print(`Person: ${person}`);
  terminal.print(`Fingerprint: ${approverFingerprint(key)}`);
  terminal.print('The person reads the fingerprint from their own account page. Continue only when both are equal.');
  await requireWord(terminal, 'add');
  writeApprovers(file, [...known, { person, ...key }]);
  terminal.print('The passkey was added.');
}

async function remove(file: string, terminal: Terminal): Promise<void> {
  requireTerminal(terminal);
  const known = readApprovers(file);
  list(known, terminal);
  const typed = (await terminal.prompt('Fingerprint or name to remove (it is not shown): ')).trim();
  const gone = known.filter((one) => one.person === typed || approverFingerprint(one) === typed);
  if (typed === '' || gone.length === 0) throw new Error('There is no such approver. Nothing was done.');
  for (const one of gone) terminal.print(`Remove: ${approverFingerprint(one)}  ${one.person}`);
  await requireWord(terminal, 'remove');
  writeApprovers(
    file,
    known.filter((one) => !gone.includes(one)),
  );
  terminal.print('The list was changed.');
}

function readKey(text: string): ApproverKey {
  const key = readApproverCode(text);
  if (key) return key;
  throw new Error('This is not an approver code. Copy it whole from the account page. Nothing was done.');
}

async function requireWord(terminal: Terminal, word: string): Promise<void> {
  if ((await terminal.prompt(`Type "${word}" to continue: `)) !== word) throw new Error('Nothing was done.');
}
