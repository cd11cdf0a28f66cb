// A word in a coloured box, a state (a dot and a word), and the verification level of an answer.
import type { ComponentChildren } from 'preact'

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone
  readonly children: ComponentChildren
}) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** The state of an object; states differ in shape and word, not only in colour. */
export function State({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone
  readonly children: ComponentChildren
}) {
  return <span class={`state ${tone}`}>{children}</span>
}

const labels: Readonly<Record<string, readonly [tone: Tone, title: string]>> = {
  proof: ['good', 'Proved'],
  quorum: ['accent', 'Quorum'],
  trusted: ['warn', 'Trusted'],
  none: ['plain', 'Not proved'],
}

/** `label`: value of `x-cairn-verified`. */
export function ProofBadge({ label }: { readonly label: string }) {
  const [tone, title] = labels[label] ?? (['plain', label] as const)
  return <Badge tone={tone}>{title}</Badge>
}
