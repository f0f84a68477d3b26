// The drill itself, in a mount namespace of its own (../image.mjs).

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../free-port.mjs';
import { startServer } from '../../start/child.mjs';
import { separateRoles } from '../../start/roles.mjs';
import { environments, readSettings } from '../../start/settings.mjs';
import { buildImage, IMAGE } from './build.mjs';
import { containerOf, exited, healthy, logsOf, seconds } from './containers.mjs';
import { compose, host, podman } from './podman.mjs';
import { payAndRefund } from './purchase.mjs';
import { DEBIAN, makePostgres, POSTGRES } from './stand-ins.mjs';

const ROOT = path.join(import.meta.dirname, '../../..');
const SERVICES = ['database', 'signer', 'web', 'worker'];
const SECRETS = {
  DATABASE_PASSWORD: ['database', 'migrate'],
  WEB_DATABASE_PASSWORD: ['migrate'],
  WORKER_DATABASE_PASSWORD: ['migrate'],
  MASTER_KEYS: ['web', 'worker'],
  EVIDENCE_KEY: ['worker', 'signer'],
  KEYSTORE_PASSPHRASE: ['signer'],
};
/** Names that the container has from its secrets or not at all. */
const NOT_PASSED =
  /^(?:PATH|HOME|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_.*|XDG_.*|TMPDIR|STOP_WITH_PARENT|DATABASE_URL|WORKER_DATABASE_URL|SIGNER_SOCKET|KEYSTORE_FILE|.*_PASSWORD|SANDBOX_FILE|SETUP_FILE|CRON_SECRET|TZ|LANG)$/;

const facts = [];
const note = (text) => {
  facts.push(text);
  console.log(`  ${text}`);
};

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-image-'));
fs.chmodSync(directory, 0o755);
const children = [];
let failed = null;
try {
  await drill(process.argv.includes('--built'));
} catch (error) {
  failed = error;
  console.error(error.message);
  for (const name of ['migrate', ...SERVICES]) console.error(`── ${name}\n${logsOf(name)}`);
} finally {
  for (const child of children.toReversed()) await child.stop();
  try {
    compose(directory, ['down', '-t', '30'], { stdio: 'ignore' });
  } catch {}
  fs.rmSync(directory, { recursive: true, force: true });
}
console.log(failed ? 'FAILED' : `\n${facts.map((fact) => `- ${fact}`).join('\n')}`);
process.exit(failed ? 1 : 0);

async function drill(isBuilt) {
  const begun = Date.now();
  if (!process.argv.includes('--keep-image')) buildImage(isBuilt);
  makePostgres();
  const size = (image) => (Number(podman(['image', 'inspect', image, '--format', '{{.Size}}'])) / 1e6).toFixed(0);
  note(`image: ${size(IMAGE)} MB, of which the stand-in of Debian ${size(DEBIAN)} MB; built in ${seconds(begun)}`);
  if (Number(size(IMAGE)) > 300) throw new Error('the image is larger than 300 MB');
  const user = podman([
    'run',
    '--rm',
    '--network',
    'none',
    '--read-only',
    IMAGE,
    'node',
    '-p',
    'process.getuid()+" "+process.version',
  ]);
  note(`runs as user ${user}`);

  installsInCleanDebian();

  const { sides, port, databasePort, secrets } = await prepareDirectory();
  const socket = path.join(directory, 'socket/signer.sock');
  const started = Date.now();
  compose(directory, ['up', '-d', 'database'], { stdio: 'inherit' });
  await healthy('database');
  compose(directory, ['up', '-d', 'migrate'], { stdio: 'ignore' });
  await exited('migrate');
  const owner = `postgresql://stabletill:${secrets.DATABASE_PASSWORD}@127.0.0.1:${databasePort}/stabletill`;
  const databaseUrls = await separateRoles({ owner, secrets, sandbox: true, warn: console.error });
  compose(directory, ['run', '--rm', '-T', 'signer', 'stabletill', 'signer', 'init'], { stdio: 'inherit' });
  compose(directory, ['up', '-d', 'signer'], { stdio: 'ignore' });
  await healthy('signer');
  note(`database, migrations and signer healthy after ${seconds(started)}`);

  const env = sides(databaseUrls);
  const log = { write: (chunk) => fs.appendFileSync(path.join(directory, 'sandbox.log'), chunk) };
  const sandbox = startServer({
    ...{ args: [path.join(ROOT, 'dist/sandbox.mjs')], cwd: directory, log },
    env: { ...env.sandbox, SIGNER_SOCKET: socket },
  });
  children.push(sandbox);
  const chains = await Promise.race([sandbox.ready, sandbox.ended]);
  if (!chains?.networks)
    throw new Error(`the sandbox ended: ${fs.readFileSync(path.join(directory, 'sandbox.log'), 'utf8')}`);
  await runOnce([path.join(ROOT, 'dist/prepare.mjs')], env.prepare(chains));
  writeCompose(port, databasePort, { web: env.web(chains), worker: env.worker(chains) });
  const began = Date.now();
  compose(directory, ['up', '-d', 'web'], { stdio: 'ignore' });
  compose(directory, ['up', '-d', 'worker'], { stdio: 'ignore' });
  await healthy('web');
  await healthy('worker');
  note(`web and worker healthy after ${seconds(began)}`);

  await payAndRefund({ directory, port, note });
  for (const page of ['/', '/login', '/docs', '/openapi.json', '/health']) {
    const answer = await fetch(`http://127.0.0.1:${port}${page}`, { redirect: 'manual' });
    if (answer.status >= 500) throw new Error(`${page} answered ${answer.status}`);
  }
  for (const line of podman(['stats', '--no-stream', '--format', '{{.Name}} {{.MemUsage}}']).split('\n'))
    note(`memory: ${line}`);
  await stopsGracefully();
}

/** The installer needs nothing but a minimal Debian, and a second run changes nothing. */
function installsInCleanDebian() {
  const install =
    'sh /source/scripts/install.sh --host pay.example.com --image stabletill --directory /installed > /dev/null';
  const sums = 'find /installed -type f | sort | xargs sha256sum';
  const script = `${install} && ${sums} > /tmp/first && ${install} && ${sums} > /tmp/second && cmp /tmp/first /tmp/second && wc -l < /tmp/first`;
  const mounts = ['scripts/install.sh', 'compose.yaml'].flatMap((name) => [
    '--volume',
    `${path.join(ROOT, name)}:/source/${name}:ro`,
  ]);
  const files = podman(['run', '--rm', '--network', 'none', ...mounts, DEBIAN, 'sh', '-c', script]);
  note(`the installer wrote ${files} files in a clean Debian, and its second run changed none`);
}

async function prepareDirectory() {
  const [port, databasePort] = [await freePort(), await freePort()];
  const random = () => randomBytes(24).toString('base64url');
  const secrets = {
    ...{ DATABASE_PASSWORD: random(), WEB_DATABASE_PASSWORD: random(), WORKER_DATABASE_PASSWORD: random() },
    ...{ MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`, EVIDENCE_KEY: randomBytes(32).toString('base64') },
    KEYSTORE_PASSPHRASE: random(),
  };
  for (const [name, services] of Object.entries(SECRETS))
    for (const service of services) putSecret(service, name, secrets[name]);
  putSecret('web', 'DATABASE_PASSWORD', secrets.WEB_DATABASE_PASSWORD);
  putSecret('worker', 'DATABASE_PASSWORD', secrets.WORKER_DATABASE_PASSWORD);
  for (const name of ['socket', 'keystore', 'database'])
    fs.mkdirSync(path.join(directory, name), { mode: name === 'database' ? 0o755 : 0o700 });
  for (const name of ['socket', 'keystore']) fs.chownSync(path.join(directory, name), 1000, 1000);
  const environment = { PATH: process.env.PATH ?? '', DATA_DIR: directory, PORT: String(port) };
  const settings = readSettings(environment, ROOT, port);
  fs.writeFileSync(path.join(directory, '.env'), `PUBLIC_URL=http://127.0.0.1:${port}\n`);
  const sides = (databaseUrls) => environments({ settings, secrets, environment, databaseUrls });
  const signer = sides({ owner: '', web: '', worker: '' }).signer;
  writeCompose(port, databasePort, { signer });
  return { sides, port, databasePort, secrets };
}

function putSecret(service, name, text) {
  const file = path.join(directory, 'secrets', service, name);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  fs.writeFileSync(file, text, { mode: 0o400 });
  fs.chownSync(file, 1000, 1000);
}

/**
 * compose.yaml, with the network of this machine, where the local chains are, in the place of its own networks, with directories in the
 * place of volumes, and with the sandbox's settings. Everything else is as it stands there.
 */
function writeCompose(port, databasePort, environmentOf) {
  const toJson = 'import json,sys,yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
  const file = JSON.parse(host('python3', ['-c', toJson, path.join(ROOT, 'compose.yaml')]));
  for (const [name, service] of Object.entries(file.services)) {
    if (name === 'terminal') continue;
    delete service.build;
    delete service.ports;
    delete service.depends_on;
    delete service.logging;
    if (service.networks) service.network_mode = 'host';
    delete service.networks;
    service.image = name === 'database' ? POSTGRES : IMAGE;
    if (name === 'database')
      service.command = [...service.command, '-c', `port=${databasePort}`, '-c', 'max_connections=100'];
    if (name === 'database')
      service.healthcheck.test = [
        'CMD-SHELL',
        `pg_isready -p ${databasePort} -U stabletill -d stabletill -h 127.0.0.1`,
      ];
    service.volumes = (service.volumes ?? []).map((one) =>
      one.replace(/^(keystore|socket|database):/, `${directory}/$1:`).replace(/^\.\//, `${directory}/`),
    );
    const own = Object.fromEntries(
      Object.entries(service.environment).filter(([, value]) => !/\$\{[A-Z_]+:-\}/.test(value)),
    );
    const given = Object.entries(environmentOf[name] ?? {}).filter(
      ([key, value]) => !NOT_PASSED.test(key) && value !== '',
    );
    const secret = Object.keys(SECRETS);
    const passed = Object.fromEntries(given.filter(([key]) => !secret.includes(key)));
    service.environment = { ...own, ...passed, ...(name === 'web' ? { PORT: String(port), HOST: '127.0.0.1' } : {}) };
    const { DATABASE_URL: address, SIGNER_SOCKET: signer } = service.environment;
    if (address) service.environment.DATABASE_URL = address.replace('@database:5432', `@127.0.0.1:${databasePort}`);
    if (signer) service.environment.SIGNER_SOCKET = '/run/stabletill/signer.sock';
    if ('PUBLIC_URL' in service.environment) service.environment.PUBLIC_URL = `http://127.0.0.1:${port}`;
  }
  delete file.services.terminal;
  delete file.networks;
  delete file.volumes;
  fs.writeFileSync(path.join(directory, 'compose.json'), JSON.stringify(file, null, 1));
}

function runOnce(args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: directory,
      env: { ...env, STOP_WITH_PARENT: 'off' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`))));
  });
}

/** Each process ends by itself on SIGTERM, well before it would be killed. */
async function stopsGracefully() {
  for (const service of ['web', 'worker', 'signer', 'database']) {
    const begun = Date.now();
    const container = containerOf(service);
    podman(['stop', '-t', '30', container]);
    const code = podman(['inspect', container, '--format', '{{.State.ExitCode}}']);
    if (code !== '0') throw new Error(`${service} ended with ${code} when it was stopped`);
    note(`${service} stopped by itself in ${seconds(begun)}`);
  }
}
