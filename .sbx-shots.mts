import http from 'node:http';import fs from 'node:fs';import {randomUUID} from 'node:crypto';import {execFileSync} from 'node:child_process';
import { systemClock, unixSeconds } from '/work/main/lib/clock';import { signatureOf } from '/work/main/lib/crypto';import { openLog } from '/work/main/lib/log';
import { startChains } from '/work/main/sandbox/chains/start';import { Receiver } from '/work/main/sandbox/receiver/routes';import { startServer } from '/work/main/sandbox/server';import { MerchantServer } from '/work/main/sandbox/shop/merchant';import { Shop } from '/work/main/sandbox/shop/routes';
const dir=fs.mkdtempSync('/tmp/sbx/d-');const S={id:'st_one',api_key:'a',api_secret:'b',webhook_secret:'w'};const ID='cs_test_4uEhQXw1bJc0Z8yKq3VtRn';
let status='PENDING',rec='0.00';
const prod=http.createServer((q,r)=>{const a=(v:any)=>{r.writeHead(200,{'content-type':'application/json'});r.end(JSON.stringify(v))};q.resume();
 if(q.url!.endsWith('/status'))return a({amount_due:'12.50',amount_received:rec,methods:status==='PENDING'?[['ethereum','USDT'],['ethereum','USDC'],['bsc','USDT'],['bsc','USDC']].map(([network,currency])=>({network,currency,address:'0x8ba1f109551bd432803012645ac136ddd64dba72',amount:'12.50'})):[]});
 a({id:ID,url:pub+'/pay/'+ID,status,payment_status:'unpaid'})}).listen(0,'127.0.0.1');
await new Promise(r=>prod.once('listening',r));const pub='http://127.0.0.1:'+(prod.address() as any).port;
const chains=await startChains(dir+'/chains',e=>console.log(e));const log=openLog('test','error');const receiver=new Receiver(systemClock);
fs.writeFileSync(dir+'/sandbox.json',JSON.stringify({stores:[S]}));
const merchant=new MerchantServer({publicUrl:pub,dataDirectory:dir,clock:systemClock});const shop=new Shop({merchant,chains,inbox:receiver.inbox,publicUrl:pub,log});
const sb=await startServer({chains,receiver,shop,log},0);
let orderId='';const orig=merchant.createSession.bind(merchant);merchant.createSession=async(s,o:any)=>{orderId=o.order_id;return orig(s,o)};
await fetch(sb.origin+'/shop/buy',{method:'POST',headers:{origin:pub},redirect:'manual'});
import {spawn} from 'node:child_process';
const shot=(name:string,path:string,w:number,h:number,dark=false)=>new Promise<void>(res=>{const c=spawn('/usr/bin/chromium',['--headless','--no-sandbox','--hide-scrollbars','--force-device-scale-factor=1',...(dark?['--blink-settings=preferredColorScheme=0']:['--blink-settings=preferredColorScheme=1']),`--window-size=${w},${h}`,`--user-data-dir=/tmp/sbx/chrome-${name}`,`--screenshot=/tmp/sbx/${name}.png`,sb.origin+path],{stdio:'ignore'});c.on('exit',()=>res())});
// 360 px: chromium headless has a minimal width of 500, so frame it
const page=`/shop/orders/${orderId}`;
await shot('item-1280','/shop',1280,760);
await shot('order-1280',page,1280,900);
await fetch(sb.origin+page+'/pay',{method:'POST',headers:{origin:pub},body:new URLSearchParams({method:'ethereum USDT'}),redirect:'manual'});
const ts=String(unixSeconds(systemClock.now())),n=randomUUID(),body=JSON.stringify({id:'evt_1795235790123456789',type:'payment.completed',created_at:1795235790,data:{object:{amount:1250,status:'completed',currency:'USDT',exchange_rate:'1',order_id:orderId,session_id:ID,source:'api'}}});
await fetch(sb.origin+'/sandbox/webhooks/st_one',{method:'POST',body,headers:{'x-service-event-type':'payment.completed','x-service-event-id':'evt_1795235790123456789','x-service-timestamp':ts,'x-service-nonce':n,'x-service-signature':signatureOf('w',ts,n,body).toString('hex')}});
status='COMPLETED';rec='12.50';
await shot('done-1280-dark',page,1280,900,true);
console.log(sb.origin,page);
// 360 px through playwright
const {chromium}=await import('/work/main/node_modules/playwright/index.mjs');
const b=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox']});
for(const [name,p,dark] of [['item-360','/shop',false],['done-360',page,false],['item-360-dark','/shop',true]] as const){const c=await b.newContext({viewport:{width:360,height:760},colorScheme:dark?'dark':'light'});const t=await c.newPage();const errs:string[]=[];t.on('console',m=>errs.push(m.text()));await t.goto(sb.origin+p);await t.screenshot({path:`/tmp/sbx/${name}.png`,fullPage:true});console.log(name,'scrollWidth',await t.evaluate(()=>document.documentElement.scrollWidth),errs);await c.close()}
status='PENDING';rec='0.00';
{const c=await b.newContext({viewport:{width:360,height:760},colorScheme:'dark'});const t=await c.newPage();await t.goto(sb.origin+page);await t.screenshot({path:'/tmp/sbx/order-360-dark.png',fullPage:true});
await t.addScriptTag({path:'/work/main/node_modules/axe-core/axe.min.js'}).catch(e=>console.log('csp blocks scripts:',e.message.slice(0,80)));
const c2=await b.newContext({bypassCSP:true});for(const p of ['/shop',page]){const t2=await c2.newPage();await t2.goto(sb.origin+p);await t2.addScriptTag({path:'/work/main/node_modules/axe-core/axe.min.js'});const r=await t2.evaluate(()=>(window as any).axe.run());console.log('axe',p,r.violations.map((v:any)=>v.id+': '+v.nodes.map((n:any)=>n.html.slice(0,80)).join(' | ')))}}
await b.close();await sb.stop();await chains.stop();process.exit(0);
