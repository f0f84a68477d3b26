// Adds the other platforms' optional packages to package-lock.json (this registry serves only linux ones, so npm leaves them out and `npm ci` then refuses).
import fs from 'node:fs';
const f = process.argv[2] ?? 'package-lock.json',
  l = JSON.parse(fs.readFileSync(f, 'utf8')),
  P = l.packages;
let n = 0;
const OS = [
    'android',
    'darwin',
    'freebsd',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'win32',
    'aix',
    'linux',
    'wasi',
  ],
  CPU = ['arm64', 'arm', 'ia32', 'x64', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];
for (const [path, p] of Object.entries({ ...P }))
  for (const [name, range] of Object.entries(p.optionalDependencies ?? {})) {
    const seen = (at) => {
      for (let d = at; ; d = d.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
        if (P[(d ? d + '/' : '') + 'node_modules/' + name]) return true;
        if (!d) return false;
      }
    };
    if (seen(path) || !/^\d/.test(range)) continue;
    const t = name.split('/').pop().split(/[-.]/),
      os = t.filter((x) => OS.includes(x)),
      cpu = t.flatMap((x) => (CPU.includes(x) ? [x] : x === 'armv7' ? ['arm'] : []));
    if (!os.length && !cpu.length) {
      console.error('left out', name, range);
      continue;
    }
    const at = path.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '');
    const k = (at ? at + '/' : '') + 'node_modules/' + name;
    P[k] = {
      version: range,
      ...(cpu.length ? { cpu } : {}),
      ...(P[path].dev ? { dev: true } : {}),
      optional: true,
      ...(os.length ? { os } : {}),
    };
    n++;
  }
l.packages = Object.fromEntries(Object.entries(P).toSorted(([a], [b]) => (a < b ? -1 : 1)));
fs.writeFileSync(f, JSON.stringify(l, null, 2) + '\n');
console.log('added', n);
