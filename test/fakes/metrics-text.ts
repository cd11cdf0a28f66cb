// Parses the text format of Prometheus (0.0.4) and checks names by its rules, like `promtool check metrics`.

export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export type ReadMetrics = {
  /** Metric name -> counter, gauge, histogram, summary. */
  readonly types: ReadonlyMap<string, string>
  readonly helps: ReadonlyMap<string, string>
  readonly samples: readonly Sample[]
  /** Value of the only sample with exactly these labels; null: there is none. */
  valueOf(name: string, labels: Readonly<Record<string, string>>): number | null
}

/** Throws on an invalid line and on a duplicate sample. */
export function parseMetrics(text: string): ReadMetrics {
  const types = new Map<string, string>()
  const helps = new Map<string, string>()
  const samples = new Map<string, Sample>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, kind, subject = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === 'HELP') helps.set(subject, rest)
    else if (kind === 'TYPE') types.set(subject, rest)
    else {
      const sample = parseSample(line)
      const key = keyOf(sample.name, sample.labels)
      if (samples.has(key)) throw new Error(`twice: ${key}`)
      samples.set(key, sample)
    }
  }
  return {
    types,
    helps,
    samples: [...samples.values()],
    valueOf: (name, labels) => samples.get(keyOf(name, labels))?.value ?? null,
  }
}

const sampleForm = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.]+(?:e[+-]?\d+)?|\+Inf|-Inf|NaN)$/i
const labelForm = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/gy

function parseSample(line: string): Sample {
  const match = sampleForm.exec(line)
  if (match === null) throw new Error(`no line of the format: ${line}`)
  const [, name = '', inner = '', value = ''] = match
  const labels: Record<string, string> = {}
  let end = 0
  for (const [whole, label = '', text = ''] of inner.matchAll(labelForm)) {
    labels[label] = text
    end += whole.length
  }
  if (end !== inner.length) throw new Error(`labels of no form: ${line}`)
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${name}${JSON.stringify(pairs)}`
}

const units = /_(milliseconds|ms|minutes|hours|days|kilobytes|megabytes|kb|mb|percent)(_|$)/
const kinds = /_(gauge|counter|histogram|summary)(_|$)/

/** One message per violation. */
export function findNamingFaults(text: string): readonly string[] {
  const { types, helps, samples } = parseMetrics(text)
  const faults: string[] = []
  for (const [name, kind] of types) {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) faults.push(`${name}: lower case and underscores`)
    if ((helps.get(name) ?? '') === '') faults.push(`${name}: no help`)
    if ((kind === 'counter') !== name.endsWith('_total')) faults.push(`${name}: _total on ${kind}`)
    if (units.test(name)) faults.push(`${name}: no base unit`)
    if (kinds.test(name)) faults.push(`${name}: names its type`)
    if (kind !== 'histogram' && /_(bucket|count|sum)$/.test(name)) faults.push(`${name}: reserved`)
  }
  for (const { name } of samples) {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    if (!types.has(name) && types.get(base) !== 'histogram') faults.push(`${name}: no type`)
  }
  return faults
}
