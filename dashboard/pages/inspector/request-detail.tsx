// The details of one request: its failure, its facts, and tabs with its timeline, its response, code and a replay.
// Tested by test/browser/inspector.test.ts
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import type { KeyPlace } from '../../app/as-key.ts'
import { apiBasesOf, rpcPath } from '../../app/api-bases.ts'
import { formatBytes, isoDay, formatMs, formatNumber } from '../../app/format.ts'
import { outcomeTitle, outcomeTone } from '../../app/outcome.ts'
import { useOwnKey } from '../../app/own-key.tsx'
import { Link } from '../../app/router.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { useMay } from '../../app/use-may.ts'
import { Badge, ProofBadge } from '../../ui/badge.tsx'
import { Facts } from '../../ui/card.tsx'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Empty, Note, Show } from '../../ui/note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type CopyName, copyText, namesFor } from './copy-texts.ts'
import { Replay } from './replay.tsx'
import { messageIn, upstreamCauses } from './failure-texts.ts'
import { clockTime, nameOf, OutcomeState } from './request-list.tsx'
import { type Request, Waterfall } from './waterfall.tsx'

const path = 'GET /accounts/{account}/keys/{key}/requests/{request}'

export function RequestDetail({
  place,
  keyTitle,
  id,
  newer,
  older,
  onShow,
  onClose,
}: {
  readonly place: KeyPlace
  readonly keyTitle: string
  readonly id: number
  /** IDs of the requests next to it in the list; null: there is none. */
  readonly newer: number | null
  readonly older: number | null
  onShow(id: number): void
  onClose(): void
}) {
  const sent = { account: place.account, key: place.key, request: id }
  const loaded = useLoaded((signal) => call(path, sent, signal), [id])
  return (
    <section class="split-detail" aria-label="Request">
      <div class="row apart">
        <h2 class="mono">{loaded.value === undefined ? 'Request' : nameOf(loaded.value)}</h2>
        <span class="row">
          <Step title="Newer request" sign="↑" to={newer} onShow={onShow} />
          <Step title="Older request" sign="↓" to={older} onShow={onShow} />
          <button
            class="button small icon quiet"
            type="button"
            aria-label="Close"
            onClick={onClose}
          >
            <Icon name="cross" size={16} />
          </button>
        </span>
      </div>
      {loaded.error?.code === 'absent' ? (
        <Empty title="This request is no longer recorded">
          Cairn keeps the last 200 requests of a key, in memory only.
        </Empty>
      ) : (
        <Show loaded={loaded}>
          {(request) => <Details place={place} keyTitle={keyTitle} request={request} />}
        </Show>
      )}
    </section>
  )
}

function Step({
  title,
  sign,
  to,
  onShow,
}: {
  readonly title: string
  readonly sign: string
  readonly to: number | null
  onShow(id: number): void
}) {
  return (
    <button
      class="button small icon quiet"
      type="button"
      aria-label={title}
      title={title}
      disabled={to === null}
      onClick={() => to !== null && onShow(to)}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  )
}

type Shown = { readonly place: KeyPlace; readonly request: Request }

const views = [
  { name: 'timing', title: 'Timing' },
  { name: 'call', title: 'Response' },
  { name: 'copy', title: 'Copy as code' },
  { name: 'again', title: 'Run again' },
] as const

type View = (typeof views)[number]['name']

function Details({ place, keyTitle, request }: Shown & { readonly keyTitle: string }) {
  const [at, setAt] = useState(0)
  const [view, setView] = useState<View>('timing')
  const { calls } = request
  const offered = views.filter(({ name }) => name !== 'again' || request.face === 'rpc')
  return (
    <div class="stack">
      {request.outcome !== 'ok' && <Failure request={request} at={at} />}
      <Facts rows={factsOf(request, place, keyTitle)} />
      {calls.length > 1 && (
        <SelectField
          title="Call"
          value={String(at)}
          options={calls.map(({ method, outcome, reason }, index) => ({
            value: String(index),
            title: `${index + 1}: ${method}, ${outcomeTitle(outcome, reason).toLowerCase()}`,
          }))}
          onValue={(value) => setAt(Number(value))}
        />
      )}
      <Tabs title="View of the request" tabs={offered} chosen={view} onChoose={setView}>
        {view === 'timing' ? (
          <div class="stack">
            <Waterfall request={request} />
            {calls[at] !== undefined && <Body title="Request" body={calls[at].params} />}
          </div>
        ) : (
          <OneCall key={at} view={view} place={place} request={request} at={at} />
        )}
      </Tabs>
    </div>
  )
}

/** The failure: code, title and message, and for operators the result of each upstream. `at`: index of the shown call. */
function Failure({ request, at }: { readonly request: Request; readonly at: number }) {
  const isOperator = useMay('operator')
  const { outcome, reason, errorCode, network, calls, timeline } = request
  const isFailed = outcomeTone(outcome) === 'bad'
  const shown = calls[at]?.outcome === 'ok' ? calls.find((one) => one.outcome !== 'ok') : calls[at]
  const message = messageIn(shown?.result?.text ?? null)
  const causes = upstreamCauses(timeline)
  return (
    <Note tone={isFailed ? 'bad' : 'warn'}>
      <p>
        {errorCode !== null && <span class="mono">{errorCode} </span>}
        <b>{outcomeTitle(outcome, reason)}</b>
      </p>
      {message !== null && <p class="wraps">{message}</p>}
      {isFailed && network !== null && (
        <p>
          {causes.length > 0 && `${causes.join(', ')}. `}
          {isOperator && <Link to="/networks">{`Check ${network}`}</Link>}
        </p>
      )}
    </Note>
  )
}

function factsOf(
  request: Request,
  place: KeyPlace,
  keyTitle: string,
): readonly (readonly [string, preact.ComponentChildren])[] {
  const { requestId, verified, head, block, upstreams, status, origin, userAgent, address } =
    request
  const sentAs =
    request.transport === 'http' ? `HTTP${status === null ? '' : ` ${status}`}` : 'WebSocket'
  const from = [address, userAgent, origin].filter((part) => part !== null)
  const rows: (readonly [string, preact.ComponentChildren] | null)[] = [
    // The note above shows another outcome.
    request.outcome === 'ok' ? ['Outcome', <OutcomeState key="outcome" row={request} />] : null,
    ['Arrived', `${isoDay(request.time)} ${clockTime(request.time)} UTC`],
    ['Took', `${formatMs(request.ms)} · ${formatNumber(request.units)} units · ${sentAs}`],
    [
      'Key',
      <span key="key">
        <Link to={`/keys/${place.key}`}>{keyTitle}</Link>
        {request.network === null ? ', IPFS API' : ` on ${request.network}`}
      </span>,
    ],
    ['Size', `${formatBytes(request.bytesIn)} in · ${formatBytes(request.bytesOut)} out`],
    verified === null ? null : ['Verification', <ProofBadge key="label" label={verified} />],
    block === null ? null : ['Block', formatNumber(Number(block.number))],
    head === null ? null : ['Head', head],
    upstreams.length === 0 ? null : ['Upstreams', upstreams.join(', ')],
    from.length === 0 ? null : ['From', from.join(' · ')],
    requestId === null
      ? null
      : [
          'Request ID',
          <span key="id">
            <span class="mono wraps">{requestId}</span>
            <CopyButton text={requestId} title="Copy the request ID" />
          </span>,
        ],
  ]
  return rows.filter((row) => row !== null)
}

function OneCall({
  view,
  place,
  request,
  at,
}: Shown & { readonly view: Exclude<View, 'timing'>; readonly at: number }) {
  const one = request.calls[at]
  if (one === undefined) return null
  const { params } = one
  if (view === 'call') {
    return (
      <div class="stack">
        <Body title="Request" body={params} />
        {one.result !== null && (
          <Body title={one.outcome === 'ok' ? 'Result' : 'Error'} body={one.result} />
        )}
      </div>
    )
  }
  if (params.text === null || params.cut) {
    return (
      <Note>
        {params.text === null
          ? 'The params were not recorded. Turn on “Record params and results” for later calls.'
          : 'The params were too long to record in full.'}
      </Note>
    )
  }
  return view === 'copy' ? (
    <Copies request={request} at={at} />
  ) : (
    <Replay place={place} request={request} at={at} />
  )
}

function Body({
  title,
  body: { text, bytes, cut },
}: {
  readonly title: string
  readonly body: Request['calls'][number]['params']
}) {
  return (
    <div class="stack tight">
      <div class="row">
        <h3>{title}</h3>
        <small class="soft">{formatBytes(bytes)}</small>
        {cut && <Badge tone="warn">truncated</Badge>}
      </div>
      {text === null ? (
        <span class="soft">not recorded</span>
      ) : (
        <CodeBlock wrapped title={title} text={text} />
      )}
    </div>
  )
}

function Copies({ request, at }: { readonly request: Request; readonly at: number }) {
  const own = useOwnKey()
  const names = namesFor(request)
  const [name, setName] = useState<CopyName>('curl')
  const status = useLoaded((signal) => call('GET /status', {}, signal), [])
  const bases = apiBasesOf(location, status.value?.facesPort ?? null)
  const one = request.calls[at]
  if (one === undefined || one.params.text === null) return null
  const copied = { face: request.face, method: one.method, params: one.params.text }
  const textFor = (key: string, secret: string): string =>
    copyText(name, copied, {
      rpcUrl: bases.base + rpcPath(request.network, key),
      base: bases.base,
      key,
      secret,
    })
  return (
    <Tabs
      title="Client"
      tabs={names.map((client) => ({ name: client, title: client }))}
      chosen={name}
      onChoose={setName}
    >
      <CodeBlock
        title={`${name} code`}
        text={textFor('<API_KEY>', '<API_KEY_SECRET>')}
        copied={textFor(own.key || '<API_KEY>', own.secret || '<API_KEY_SECRET>')}
      />
      <p class="hint">Copying fills in the key that you pasted beside the code of a key.</p>
    </Tabs>
  )
}
