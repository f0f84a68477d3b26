// Every fault of a TRON endpoint that its own responses reveal: the case, the required fault, and how a pair's faulty
// node produces it.

import { TRON_SOLID, tronUsdt, type TronAnswer, type TronPair } from './tron-pair';

type Kind = readonly [kind: string, fault: string, spoil: () => unknown];

const OTHER_ID = '77'.repeat(32);
const PAGE = '<!doctype html><title>welcome</title>';
const INFOS = 'gettransactioninfobyblocknum';
/** A block in the middle of the scan, with the payment to us. */
const PAID = 5;

export function tronFaults({ faulty, good, on, answer }: TronPair): readonly Kind[] {
  /** Falsifies one block in every API; `{}` is a missing block, and all later ones are missing too. */
  const at = (number: number, change: (block: TronAnswer) => object) => {
    faulty().tamper = ({ api, body }, given) => {
      const blocks = structuredClone(given) as { block: TronAnswer[] };
      if (api === 'getblockbynum' && body.num === number) return change(structuredClone(given) as TronAnswer);
      if (api !== 'getblockbylimitnext') return undefined;
      const all = blocks.block.map((one) => (one.block_header.raw_data.number === number ? change(one) : one));
      const gap = all.findIndex((one) => !('blockID' in one));
      return { block: gap === -1 ? all : all.slice(0, gap) };
    };
  };
  /** Falsifies the results of one block's transactions. */
  const infosAt = (number: number, change: (infos: TronAnswer[]) => unknown) =>
    on(INFOS, (infos, body) => (body.num === number ? change(infos) : undefined));
  const paying = (change: (info: TronAnswer) => unknown) =>
    infosAt(PAID, (infos) => infos.map((info) => (info.log?.[0] && info === infos.at(-1) ? change(info) : info)));
  const said = (text: string) => answer(200, JSON.stringify({ Error: text }));
  const raw = (block: TronAnswer, over: object) => ({
    ...block,
    block_header: { raw_data: { ...block.block_header.raw_data, ...over } },
  });

  const transport: Kind[] = [
    ['dead', 'unavailable', () => (faulty().hijack = (request) => (request.socket.destroy(), true))],
    ['silent', 'unavailable', () => (faulty().hijack = () => true)],
    ['answering 500', 'unavailable', () => answer(500, PAGE)],
    ['answering 502 with a page', 'unavailable', () => answer(502, PAGE)],
    ['answering 429', 'unavailable', () => answer(429, '', { 'retry-after': '7' })],
    [
      'suspending us with 403',
      'unavailable',
      () =>
        answer(403, '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 30s"}'),
    ],
    ['answering 403 with a page', 'unavailable', () => answer(403, PAGE)],
    [
      'refusing as TronGrid’s newer paths do',
      'unavailable',
      () => answer(200, '{"success":false,"error":"daily limit","statusCode":403}'),
    ],
    [
      'out of computing resources',
      'unavailable',
      () => said('class java.lang.IllegalAccessException : lack of computing resources'),
    ],
    ['failing with an internal error', 'unavailable', () => said('class java.lang.NullPointerException : null')],
    ['a lite node', 'unavailable', () => answer(200, 'this API is closed because this node is a lite fullnode')],
    ['without a required API', 'unavailable', () => answer(404, '{"Error":"this API is unavailable due to config"}')],
    ['redirecting', 'unavailable', () => answer(302, '', { location: good().url })],
    ['answering a page with 200', 'unavailable', () => answer(200, PAGE.repeat(20))],
    ['answering null', 'unavailable', () => answer(200, 'null')],
    ['answering half an object', 'unavailable', () => answer(200, '{"blockID":"00')],
    ['answering without end', 'unavailable', () => answer(200, 'x'.repeat(33 * 1024 * 1024))],
  ];

  const lagging: Kind[] = [
    ['lagging far behind', 'unavailable', () => faulty().blocks.splice(8)],
    ['lagging on its solid side', 'unavailable', () => (faulty().solidDepth = TRON_SOLID + 15)],
    [
      'without a solid block',
      'unavailable',
      () =>
        (faulty().tamper = ({ side, body }) =>
          side === 'walletsolidity' && body.id_or_num === undefined ? {} : undefined),
    ],
    ['without one of the blocks', 'unavailable', () => at(7, () => ({}))],
    ['without any results', 'unavailable', () => on(INFOS, () => [])],
    ['answering without results, as for block 0', 'unavailable', () => on(INFOS, () => ({}))],
    ['losing the last result of a block', 'unavailable', () => infosAt(PAID, (infos) => infos.slice(0, -1))],
    ['lagging in results', 'unavailable', () => (faulty().infosLag = TRON_SOLID + 18 - 4)],
  ];

  const malformed: Kind[] = [
    ['answering numbers as text', 'unavailable', () => at(7, (block) => raw(block, { number: '7' }))],
    [
      'answering a broken log',
      'unavailable',
      () => paying((info) => ({ ...info, log: [{ ...info.log[0], data: 'zz' }] })),
    ],
    ['giving results as an object', 'unavailable', () => infosAt(PAID, (infos) => ({ infos }))],
    ['omitting an id', 'unavailable', () => paying((info) => ({ ...info, id: undefined }))],
  ];

  const lying: Kind[] = [
    [
      'reporting a solid block above its newest one',
      'contradiction',
      () => {
        faulty().tamper = ({ side, api, body }) =>
          side === 'wallet' && api === 'getblock' && body.id_or_num === undefined ? headerLike(9) : undefined;
      },
    ],
    [
      'giving one result twice',
      'contradiction',
      () => infosAt(PAID, ([first, ...rest]) => [first, first, ...rest.slice(1)]),
    ],
    [
      'inventing a transaction',
      'contradiction',
      () => infosAt(PAID, (infos) => [...infos, { ...infos.at(-1), id: OTHER_ID }]),
    ],
    ['giving another transaction’s result', 'contradiction', () => paying((info) => ({ ...info, id: OTHER_ID }))],
    ['giving another block’s results', 'contradiction', () => paying((info) => ({ ...info, blockNumber: 6 }))],
    ['giving results of another time', 'contradiction', () => paying((info) => ({ ...info, blockTimeStamp: 1 }))],
    [
      'reporting a failed transaction as successful',
      'contradiction',
      () =>
        at(PAID, (block) => ({
          ...block,
          transactions: block.transactions.map((one) => ({ ...one, ret: [{ contractRet: 'REVERT' }] })),
        })),
    ],
    [
      'reporting a successful transaction as failed',
      'contradiction',
      () => paying((info) => ({ ...info, result: 'FAILED', receipt: { result: 'REVERT' }, log: undefined })),
    ],
    ['contradicting itself in one result', 'contradiction', () => paying((info) => ({ ...info, result: 'FAILED' }))],
    [
      'omitting transactions of a block',
      'contradiction',
      () => at(PAID, (block) => ({ ...block, transactions: block.transactions.slice(1) })),
    ],
    [
      'giving an empty block with results',
      'contradiction',
      () => at(PAID, ({ transactions: _left, ...block }) => block),
    ],
    ['giving another block than the requested one', 'contradiction', () => at(7, () => blockLike(8))],
    [
      'giving a block the id of another height',
      'contradiction',
      () => at(7, (block) => ({ ...block, blockID: good().blocks[8]!.id })),
    ],
    ['breaking the chain of parents', 'contradiction', () => at(7, (block) => raw(block, { parentHash: OTHER_ID }))],
    [
      'replacing a block',
      'contradiction',
      () => at(7, (block) => ({ ...block, blockID: `${block.blockID.slice(0, 16)}${OTHER_ID.slice(16)}` })),
    ],
  ];

  const elsewhere: Kind[] = [
    [
      'on another chain on its solid side',
      'wrong_chain',
      () => {
        faulty().tamper = ({ side, body }) =>
          side === 'walletsolidity' && body.id_or_num === '0'
            ? { ...headerLike(0), blockID: `${'0'.repeat(16)}${OTHER_ID.slice(16)}` }
            : undefined;
      },
    ],
    ['with other decimals', 'wrong_chain', () => (faulty().decimals[tronUsdt] = 18)],
    ['without the token', 'wrong_chain', () => delete faulty().decimals[tronUsdt]],
    [
      'without constant calls',
      'unavailable',
      () =>
        on('triggerconstantcontract', () => ({
          result: { code: 'CONTRACT_VALIDATE_ERROR', message: 'this node does not support constant' },
        })),
    ],
  ];

  const headerLike = (number: number) => {
    const { id, parentHash, time } = good().blocks[number]!;
    return { blockID: id, block_header: { raw_data: { number, parentHash, timestamp: time } } };
  };
  const blockLike = (number: number) => ({ ...headerLike(number), transactions: [] });

  return [...transport, ...lagging, ...malformed, ...lying, ...elsewhere];
}
