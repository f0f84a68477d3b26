// `stabletill cold`: requests transfers from the cold wallet to the refund wallet, and sends those that were signed on a
// machine without a network (`stabletill offline`). Runs the built code of lib/cold-storage/returns/cold-command.ts.

import fs from 'node:fs';
import readline from 'node:readline/promises';
import { runProgram } from '../start/command.mjs';

export const command = {
  name: 'cold',
  summary: 'brings money back from the cold wallet by a file that is signed offline',
  usage: `stabletill cold request NETWORK CURRENCY AMOUNT [CURRENCY AMOUNT ...] [--live | --test] [--nonce ACCOUNT ...]
        [--executor ADDRESS] [--permission ID] [--multisig ADDRESS --member ADDRESS ...] [--out FILE]
    writes a signing request for transfers from the cold wallet (COLD_WALLETS) to the refund wallet. AMOUNT is in whole tokens.
    On Solana each transfer needs a durable nonce account whose authority is the cold wallet.
    If the cold wallet is a Safe, the owners sign offline and the executor, an account with coin, signs last; or they sign FILE.safe.json in
    the Safe web app. If several keys of a TRON account sign, the request names its permission, or the one of --permission.
    If it is a vault of a Squads multisig, name the multisig and as many members as its threshold. The first one proposes, executes and pays,
    and is the authority of the nonce account.
stabletill cold send FILE [FILE ...] [--no-wait]
    sends what stabletill-offline has signed, with the files of all signers, and waits until it is final. It may be run again at any time: nothing is paid twice.
stabletill cold status [--json]
    shows open and recent transfers from the cold wallet.
stabletill cold give-up ID --reason TEXT
    ends a signed transfer that can no longer land, if no endpoint can say what became of it. It asks at a terminal.

It needs the settings of the worker (DATABASE_URL, SIGNER_SOCKET, COLD_WALLETS and the endpoints) and the signer running.
Exit codes: 0 done, 1 the command or a file is unusable, 3 refused, or not everything has arrived.`,
  options: { '--json': 'prints the status as one JSON object; for cold status' },
  run: (words, { print }) =>
    runProgram(
      'cold',
      ({ runColdCommand }) =>
        runColdCommand(words, {
          environment: process.env,
          print,
          readFile: (file) => fs.readFileSync(file),
          writeNew: (file, text) => fs.writeFileSync(file, text, { flag: 'wx' }),
          ask,
        }),
      { role: 'worker' },
    ),
};

async function ask(text) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const terminal = readline.createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(text);
  } finally {
    terminal.close();
  }
}
