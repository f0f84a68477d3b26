// The Helm chart, rendered by Helm itself and held against the published schemas of Kubernetes.

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsOf, helm, installChartTools, render } from './image/chart-tools.mjs';

const CHART = path.join(import.meta.dirname, '../deploy/helm/stabletill');
const SPLIT = [
  'workers[0].name=watch',
  'workers[0].steps=watch',
  'workers[0].replicas=2',
  'workers[1].name=rest',
  'workers[1].steps=pay\\,guard\\,deliver\\,maintain',
  'workers[1].replicas=1',
];

/** What the tests read of an object. */
type Rendered = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind has its own, and the schemas have checked it
  readonly spec: any;
};
const rendered = (values: string[] = []) => render(CHART, values) as Rendered[];
const named = (objects: Rendered[], kind: string, name: string) => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

const missing = installChartTools();
if (missing !== null)
  console.warn(`the chart is not tested, because Helm, its schemas or python3-yaml are missing: ${missing}`);

describe.skipIf(missing !== null)('the chart', () => {
  test('helm finds nothing wrong with the chart', () => {
    expect(helm(['lint', '--strict', CHART])).toContain('0 chart(s) failed');
  });

  describe.each([
    ['as it is', []],
    ['with workers split by steps', SPLIT],
    [
      'watch-only, without ingress and policies',
      ['signer.enabled=false', 'ingress.enabled=false', 'networkPolicy.enabled=false'],
    ],
  ])('%s', (_, values) => {
    test('every object obeys the schemas of Kubernetes, without unknown fields', { timeout: 120_000 }, async () => {
      expect(await faultsOf(rendered(values))).toEqual([]);
    });
  });

  test('the check sees an unknown field and a wrong type', { timeout: 120_000 }, async () => {
    const objects = rendered();
    const { spec } = named(objects, 'Deployment', 'till-web');
    spec.template.spec.containers[0].readinesProbe = {};
    spec.minReadySeconds = 'soon';
    const faults = (await faultsOf(objects)).join('\n');
    expect(faults).toContain('readinesProbe');
    expect(faults).toContain('minReadySeconds');
  });

  test('every container is unprivileged, read-only, bounded in memory, and has no secret in its environment', () => {
    const pods = rendered().filter(({ spec }) => spec?.template?.spec?.containers);
    expect(pods.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      ...['till-migrate', 'till-signer', 'till-web', 'till-worker-all'],
    ]);
    for (const { spec } of pods) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.automountServiceAccountToken).toBe(false);
      const [container] = pod.containers;
      expect(container.securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      });
      expect(container.resources.limits.memory).toMatch(/^\d+[GM]i$/);
      expect(JSON.stringify(container.env)).not.toMatch(/PASSWORD|MASTER_KEYS|PASSPHRASE|EVIDENCE_KEY/);
    }
  });

  test('there is one signer, whose volume is for one pod and stays, and no other pod but workers reaches it', () => {
    const objects = rendered();
    const signer = named(objects, 'StatefulSet', 'till-signer').spec;
    expect(signer.replicas).toBe(1);
    expect(signer.volumeClaimTemplates[0].spec.accessModes).toEqual(['ReadWriteOncePod']);
    expect(signer.persistentVolumeClaimRetentionPolicy.whenDeleted).toBe('Retain');
    const policy = named(objects, 'NetworkPolicy', 'till-signer').spec;
    expect(policy.policyTypes).toContain('Egress');
    expect(policy.egress).toBeUndefined();
    expect(policy.ingress).toHaveLength(1);
    const { matchLabels, matchExpressions } = policy.ingress[0].from[0].podSelector;
    expect(policy.ingress[0].from).toHaveLength(1);
    expect(matchLabels['stabletill/process']).toBe('worker');
    // A worker of an older version has no such label, and reaches the signer until it is replaced.
    expect(matchExpressions).toEqual([{ key: 'stabletill/signer-client', operator: 'NotIn', values: ['false'] }]);
    expect(named(objects, 'Deployment', 'till-worker-all').spec.template.metadata.labels).toMatchObject(matchLabels);
    expect(() => rendered(['signer.replicas=2'])).toThrow('schema');
  });

  test.each([
    ['deliver\\,maintain', [], false],
    ['watch', [], false],
    ['pay', [], true],
    ['deliver\\,guard', [], true],
    ['freeze-switch\\,sweep', [], true],
    ['watch', ['workers[0].signer=true'], true],
    ['', ['workers[0].signer=false'], false],
    ['pay', ['signer.enabled=false'], false],
  ])(
    'workers with the steps "%s" and %j have the way, the certificate and the label of the signer: %s',
    (steps, more, has) => {
      const values = ['workers[0].name=one', `workers[0].steps=${steps}`, 'workers[0].replicas=1'];
      const { metadata, spec } = named(rendered([...values, ...more]), 'Deployment', 'till-worker-one').spec.template;
      const { env, volumeMounts } = spec.containers[0];
      const names = (of: { name: string }[]) => of.map(({ name }) => name);
      expect(metadata.labels['stabletill/signer-client']).toBe(String(has));
      expect(names(env).includes('SIGNER_SOCKET')).toBe(has);
      expect(names(volumeMounts).includes('certificates')).toBe(has);
      expect(names(spec.volumes).includes('certificates')).toBe(has);
    },
  );

  test('workers may have a Secret of their own, without the keys of the others', () => {
    const objects = rendered([...SPLIT, 'workers[0].secret=till-watch']);
    const secretOf = (name: string) =>
      named(objects, 'Deployment', name).spec.template.spec.volumes.find(
        (one: { name: string }) => one.name === 'secrets',
      ).secret.secretName;
    expect(secretOf('till-worker-watch')).toBe('till-watch');
    expect(secretOf('till-worker-rest')).toBe('stabletill-worker');
  });

  test('each group of steps has workers of its own', () => {
    const objects = rendered(SPLIT);
    const steps = objects
      .filter(({ metadata }) => metadata.name.startsWith('till-worker-'))
      .filter(({ kind }) => kind === 'Deployment')
      .map(
        ({ spec }) =>
          spec.template.spec.containers[0].env.find(({ name }: { name: string }) => name === 'WORKER_STEPS')?.value,
      );
    expect(steps).toEqual(['watch', 'pay,guard,deliver,maintain']);
  });

  test('web still answers after its signal until it is out of the service', () => {
    const objects = rendered(['web.drainSeconds=12']);
    const pod = named(objects, 'Deployment', 'till-web').spec.template.spec;
    expect(pod.terminationGracePeriodSeconds).toBe(42);
    expect(pod.containers[0].env).toContainEqual({ name: 'DRAIN_SECONDS', value: '12' });
    expect(pod.containers[0].readinessProbe.httpGet.path).toBe('/readyz');
    expect(named(objects, 'PodDisruptionBudget', 'till-web').spec.maxUnavailable).toBe(1);
  });

  test('secrets in the values are refused', () => {
    expect(() => rendered(['settings.MASTER_KEYS=1:abc'])).toThrow('schema');
    expect(() => rendered(['settings.SMTP_URL=smtp://a:b@c'])).toThrow('schema');
    expect(() => rendered(['settings.VALKEY_URL=redis://a:b@c'])).toThrow('schema');
    expect(() => rendered(['publicUrl=http://pay.example.com'])).toThrow('schema');
    expect(() => rendered(['settings.LOG_LEVEL=debug'])).not.toThrow();
  });
});
