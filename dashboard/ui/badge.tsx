// A word in a coloured pill, and how an answer was checked.
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

const labels: Readonly<Record<string, readonly [tone: Tone, title: string]>> = {
  proof: ['good', 'Proved'],
  quorum: ['accent', 'Agreed'],
  trusted: ['warn', 'Trusted'],
  none: ['plain', 'Not checked'],
}

/** `label`: as `x-cairn-verified` says it. */
export function ProofBadge({ label }: { readonly label: string }) {
  const [tone, title] = labels[label] ?? (['plain', label] as const)
  return <Badge tone={tone}>{title}</Badge>
}
