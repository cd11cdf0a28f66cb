// The Helm chart of deploy/helm/: renders valid manifests for each file of ci/, which agree with Cairn's settings.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { runCli, temporaryFolder } from '../started-server.ts'
import { needs, root, run } from './programs.ts'

const chart = join(root, 'deploy/helm/cairn')
const valueFiles = globSync('ci/*-values.yaml', { cwd: chart }).map((path) => join(chart, path))

type Container = {
  readonly image: string
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly maxUnavailable?: number
    readonly endpoints?: readonly { readonly authorization: object }[]
    readonly template?: {
      readonly spec: {
        readonly securityContext: object
        readonly terminationGracePeriodSeconds: number
        readonly enableServiceLinks: boolean
        readonly containers: readonly [Container]
      }
    }
  }
}

async function render(values: string, ...more: string[]): Promise<readonly Manifest[]> {
  const text = await template('--values', values, ...more)
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest)
}

function validate(version: string, files: readonly string[]): Promise<string> {
  return run('kubernetes-validate', ['--strict', '--kubernetes-version', version, ...files])
}

/** A helm built from its Go module has no default version of Kubernetes. */
function template(...more: string[]): Promise<string> {
  return run('helm', ['template', 'team', chart, '--kube-version', '1.37.0', ...more])
}

const named = (name: string) => join(chart, `ci/${name}-values.yaml`)

function podOf(manifests: readonly Manifest[]) {
  const pod = manifests.find(({ kind }) => kind === 'StatefulSet')?.spec?.template?.spec
  assert.ok(pod)
  return { ...pod, container: pod.containers[0] }
}

test('the chart has the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const { version: own, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as {
    version: string
    appVersion: string
  }
  assert.deepEqual([own, appVersion], [version, version])
})

test('helm lint finds nothing, with each file of values', needs('helm'), async () => {
  assert.ok(valueFiles.length >= 6)
  for (const values of valueFiles) {
    assert.match(
      await run('helm', [
        'lint',
        '--strict',
        '--kube-version',
        '1.37.0',
        chart,
        '--values',
        values,
      ]),
      /1 chart\(s\) linted, 0 chart\(s\) failed/,
    )
  }
})

test(
  'each file of values renders to manifests that Kubernetes 1.25 and 1.37 accept',
  needs('helm', 'kubernetes-validate'),
  async (t) => {
    const folder = await temporaryFolder()
    t.after(() => rm(folder, { recursive: true, force: true }))
    for (const values of valueFiles) {
      const out = join(folder, basename(values))
      await mkdir(out)
      await template('--values', values, '--output-dir', out)
      // The Prometheus operator defines this kind.
      const files = globSync('**/*.yaml', { cwd: out })
        .filter((path) => !path.endsWith('servicemonitor.yaml'))
        .map((path) => join(out, path))
      for (const version of ['1.25', '1.37']) await validate(version, files)
    }
    const wrong = join(folder, 'wrong.yaml')
    const budget = 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: '
    await writeFile(wrong, `${budget}{maxUnavailble: 1}`)
    await assert.rejects(validate('1.37', [wrong]), /maxUnavailble/)
  },
)

test('the settings of each file of values are valid for Cairn', needs('helm'), async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 'cairn.yaml')
  for (const values of valueFiles) {
    const manifests = await render(values)
    const text = manifests.find(({ kind }) => kind === 'ConfigMap')?.data?.['cairn.yaml'] ?? ''
    await writeFile(
      config,
      text
        .replaceAll('${env:DATABASE_URL}', 'postgresql://cairn@db.example/cairn')
        .replaceAll('${env:VALKEY_URL}', 'redis://valkey.example')
        .replaceAll(/\$\{env:\w+\}/g, 'https://node.example'),
    )
    const { ok } = await runCli(['config', 'check', '--config', config, '--json'])
    assert.equal(ok, true, values)
  }
})

test(
  'the pod has no rights, a read-only root, and more time to stop than a drain takes',
  needs('helm'),
  async () => {
    const pod = podOf(await render(named('mainnet')))
    assert.deepEqual(pod.securityContext, {
      runAsNonRoot: true,
      runAsUser: 10_001,
      runAsGroup: 10_001,
      fsGroup: 10_001,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    })
    assert.deepEqual(pod.container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(pod.enableServiceLinks, false)
    // http.drainMs is 20 s there.
    assert.ok(pod.terminationGracePeriodSeconds >= 40)
    assert.equal(pod.container.image, 'registry.example.com/cairn:1.2.3')
  },
)

test('secrets are references: no value of theirs is in a manifest', needs('helm'), async () => {
  const { container } = podOf(await render(named('mainnet')))
  assert.deepEqual(container.env, [
    { name: 'CAIRN_CONFIG', value: '/etc/cairn/cairn.yaml' },
    { name: 'CAIRN_MAIL_URL', valueFrom: { secretKeyRef: { name: 'cairn', key: 'mail-url' } } },
    { name: 'MAINNET_URL', valueFrom: { secretKeyRef: { name: 'cairn', key: 'mainnet-url' } } },
  ])
  const monitor = (await render(named('monitored'))).find(({ kind }) => kind === 'ServiceMonitor')
  assert.deepEqual(monitor?.spec?.endpoints?.[0]?.authorization, {
    credentials: { name: 'cairn', key: 'metrics-token' },
  })
})

test(
  'an ingress opens the dashboard at its hosts, and changed settings restart the pod',
  needs('helm'),
  async () => {
    const manifests = await render(named('ingress'))
    const settings = manifests.find(({ kind }) => kind === 'ConfigMap')?.data?.['cairn.yaml'] ?? ''
    assert.deepEqual(parse(settings), {
      admin: { hosts: 'cairn.example.com' },
      http: { trustedProxies: '10.0.0.0/8' },
    })
    const other = await render(named('ingress'), '--set', 'settings.log.level=warn')
    const sumOf = (all: readonly Manifest[]) =>
      JSON.stringify(all).match(/"checksum\/settings":"(\w{64})"/)?.[1]
    assert.ok(sumOf(manifests))
    assert.notEqual(sumOf(manifests), sumOf(other))
  },
)

test(
  'with a shared database the chart is a Deployment of several pods with one key pair',
  needs('helm'),
  async () => {
    const manifests = await render(named('shared'))
    const deployment = manifests.find(({ kind }) => kind === 'Deployment')
    assert.equal(deployment?.spec?.replicas, 3)
    assert.equal(
      manifests.some(({ kind }) => kind === 'StatefulSet'),
      false,
    )
    const pod = JSON.stringify(deployment?.spec?.template)
    assert.match(pod, /"secretName":"cairn-identity"/)
    assert.match(pod, /"name":"CAIRN_SECRETS_FILE","value":"\/identity\/identity\.pem"/)
    assert.doesNotMatch(pod, /initContainers/)
    assert.match(pod, /"emptyDir":\{"sizeLimit":"50Gi"\}/)
  },
)

test(
  'a name that the chart does not know, a missing image and a missing token are refused with a sentence',
  needs('helm'),
  async () => {
    const minimal = named('minimal')
    await assert.rejects(render(minimal, '--set', 'copies=2'), /copies/)
    await assert.rejects(render(minimal, '--set', 'replicas=2'), /needs settings\.database\.url/)
    await assert.rejects(
      render(named('shared'), '--set', 'identitySecret='),
      /settings\.database\.url needs identitySecret/,
    )
    await assert.rejects(
      render(named('shared'), '--set', 'settings.node.only=true'),
      /replicas above 1 contradicts settings\.node\.only/,
    )
    await assert.rejects(render(minimal, '--set', 'settings.dataDir=/data'), /dataDir/)
    await assert.rejects(render(minimal, '--set', 'ingress.enabled=true'), /hosts/)
    await assert.rejects(template(), /image\.repository is empty: set it/)
    await assert.rejects(
      render(minimal, '--set', 'serviceMonitor.enabled=true'),
      /serviceMonitor\.enabled needs secretEnv\.CAIRN_METRICS_TOKEN/,
    )
  },
)
