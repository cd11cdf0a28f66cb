// Alert rules on errors and latency: measure, limit, window and key, one line per rule.
// Tested by test/browser/usage.test.ts
import type { AdminInput, AdminReply } from '../../src/admin/client.ts'
import { formatSince, formatTime } from '../app/format.ts'
import { KeyField } from '../app/choose-key.tsx'
import type { KeyOptions } from '../app/key-options.ts'
import { State } from '../ui/badge.tsx'
import { Pick } from '../ui/toolbar.tsx'

type Rules = AdminReply<'GET /accounts/{account}/alerts'>['rules']
export type SentRule = NonNullable<AdminInput<'PUT /accounts/{account}/alerts'>['rules']>[number]

/** A rule during editing: the limit is text. */
export type EditedRule = Omit<SentRule, 'above'> & { readonly above: string }

/** The API's limit. */
const rulesMax = 10
const minutes = [1, 5, 15, 60] as const

const measures = [
  { value: 'errors', title: 'share of errors', unit: '%', above: '5' },
  { value: 'failed', title: 'share failed on our side', unit: '%', above: '1' },
  { value: 'p95', title: 'latency, p95', unit: 'ms', above: '500' },
  { value: 'p99', title: 'latency, p99', unit: 'ms', above: '2000' },
] as const

type Measure = (typeof measures)[number]

export function editedRules(rules: Rules): readonly EditedRule[] {
  return rules.map(({ since: _since, above, ...rule }) => ({ ...rule, above: String(above) }))
}

export function sentRules(rules: readonly EditedRule[]): SentRule[] {
  return rules.map(({ above, ...rule }) => ({ ...rule, above: Number(above) }))
}

/** Since when the saved rule that equals an edited one is violated, milliseconds since 1970; null: it is not. */
function brokenSince(saved: Rules, { measure, above, minutes: length, key }: EditedRule) {
  const same = saved.find(
    (rule) =>
      rule.measure === measure &&
      rule.above === Number(above) &&
      rule.minutes === length &&
      rule.key === key,
  )
  return same?.since ?? null
}

export function AlertRules({
  rules,
  saved,
  keys,
  error,
  onRules,
}: {
  readonly rules: readonly EditedRule[]
  readonly saved: Rules
  /** Active keys. */
  readonly keys: KeyOptions
  /** Error of any rule; null or absent: none. */
  readonly error: string | null | undefined
  onRules(rules: readonly EditedRule[]): void
}) {
  const first: Measure = measures[0]
  return (
    <fieldset>
      <legend class="field-title">Errors and latency</legend>
      <p class="hint">
        Cairn sends one alert when a rule is broken by at least 20 calls, and one when it is
        resolved: at four fifths of its limit, or without calls.
      </p>
      {rules.map((rule, at) => (
        <RuleLine
          key={at}
          title={`Rule ${at + 1}`}
          rule={rule}
          since={brokenSince(saved, rule)}
          keys={keys}
          onRule={(next) => onRules(rules.with(at, next))}
          onRemove={() => onRules(rules.toSpliced(at, 1))}
        />
      ))}
      {error !== null && error !== undefined && (
        <span class="field-error" role="alert">
          {error}
        </span>
      )}
      {rules.length < rulesMax && (
        <button
          class="button small"
          type="button"
          onClick={() =>
            onRules([...rules, { measure: first.value, above: first.above, minutes: 5, key: null }])
          }
        >
          Add rule
        </button>
      )}
    </fieldset>
  )
}

function RuleLine({
  title,
  rule,
  since,
  keys,
  onRule,
  onRemove,
}: {
  readonly title: string
  readonly rule: EditedRule
  /** Milliseconds since 1970; null: the rule is not violated. */
  readonly since: number | null
  readonly keys: KeyOptions
  onRule(rule: EditedRule): void
  onRemove(): void
}) {
  const { measure, above, key } = rule
  const chosen = measures.find(({ value }) => value === measure) ?? measures[0]
  const lengths = [...new Set([...minutes, rule.minutes])].toSorted((a, b) => a - b)
  return (
    <div class="toolbar rule-line" role="group" aria-label={title}>
      <Pick
        title="Alert on"
        value={measure}
        unset={measure}
        options={measures}
        onValue={(value) => {
          const next = measures.find((one) => one.value === value) ?? measures[0]
          onRule({ ...rule, measure: value, above: next.unit === chosen.unit ? above : next.above })
        }}
      />
      <label class="pick">
        Above:
        <input
          type="number"
          aria-label={`Above, in ${chosen.unit}`}
          min="0"
          step="any"
          required
          value={above}
          onInput={(event) => onRule({ ...rule, above: event.currentTarget.value })}
        />
        <span class="unit">{chosen.unit}</span>
      </label>
      <Pick
        title="Over"
        value={String(rule.minutes)}
        unset={String(rule.minutes)}
        options={lengths.map((length) => ({ value: String(length), title: `${length} min` }))}
        onValue={(value) => onRule({ ...rule, minutes: Number(value) })}
      />
      <KeyField
        title="Key"
        keys={keys}
        value={key ?? ''}
        all="all"
        unset={key ?? ''}
        onValue={(value) => onRule({ ...rule, key: value === '' ? null : value })}
      />
      {since !== null && (
        <span title={formatTime(since)}>
          <State tone="bad">{`Broken since ${formatSince(since, Date.now())}`}</State>
        </span>
      )}
      <button class="button small end" type="button" onClick={onRemove}>
        Remove
      </button>
    </div>
  )
}
