import { openBenchDatabase } from './bench/database.mjs';
import pg from 'pg';
import { createStatement } from '@/lib/sessions/create-statement';
import { readStatement } from '@/lib/sessions/read';
import { newSessionId } from '@/lib/ids';
import { randomUUID } from 'node:crypto';
const db = await openBenchDatabase();
const c = new pg.Client({ connectionString: db.url }); await c.connect();
const key: any = { id: 1, storeId: 'st_bench', environment: 'test', secret: '', acceptsOtherToken: false };
const mk = () => createStatement({ key, nonce: randomUUID() }, { id: newSessionId('test'), request: { amount: 1, currency: 'USD', order_id: randomUUID(), description:'x', metadata: {a:'b'} } as any, price: { currency:'USD', amountTotal: 1n, amountDue: 1n, currencies: ['USDT'] }, createdAt: new Date(), expiresAt: new Date(), answer: '', idempotency: null, networks: ['ethereum','bsc'] });
for (const batch of [0,1,2,3,4,5]) {
  let t = performance.now(); for (let i=0;i<1500;i++) await c.query(mk()); const a=(performance.now()-t)/1500;
  t = performance.now(); for (let i=0;i<1500;i++) await c.query(readStatement({ key, nonce: randomUUID() }, db.ids[i%1000])); const b=(performance.now()-t)/1500;
  t = performance.now(); for (let i=0;i<1500;i++) await c.query({name:'n',text:'INSERT INTO nonces(key_id, nonce) VALUES (1,$1)',values:[randomUUID()]}); const d=(performance.now()-t)/1500;
  t = performance.now(); for (let i=0;i<1500;i++) await c.query({name:'o',text:'SELECT 1',values:[]}); const e=(performance.now()-t)/1500;
  console.log('create ms', a.toFixed(3), 'read ms', b.toFixed(3), 'nonce insert', d.toFixed(3), 'select1', e.toFixed(3));
}
const s = mk(); await c.query('SET plan_cache_mode=force_generic_plan');
const r = await c.query({ text: 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ' + s.text, values: s.values });
console.log(r.rows.map((x:any)=>x['QUERY PLAN']).join('\n').slice(0,6000));
const q = readStatement({ key, nonce: randomUUID() }, db.ids[5]);
const r2 = await c.query({ text: 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ' + q.text, values: q.values });
console.log(r2.rows.map((x:any)=>x['QUERY PLAN']).join('\n').slice(0,3000));
await c.end(); await db.stop();
