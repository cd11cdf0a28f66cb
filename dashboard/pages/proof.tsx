// Proofs, verified in the browser step by step: from a block hash to a value, or from a CID to the bytes of a file.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { type Choices, NoKey, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import { usePlace } from '../app/router.tsx'
import { AnswerProof } from '../proof/answer-proof.tsx'
import { FileProof } from '../proof/file-proof.tsx'
import '../style/proof.css'
import { PageHead } from '../ui/card.tsx'
import { Icon } from '../ui/icons.tsx'
import { Show } from '../ui/note.tsx'
import { Tabs } from '../ui/tabs.tsx'

const views = [
  { name: 'answer', title: 'Chain answer' },
  { name: 'file', title: 'File' },
] as const

export function ProofPage() {
  const choices = useChoices()
  const [bundle, setBundle] = useState<ProofBundle | null>(null)
  return (
    <>
      <PageHead
        title="Proofs"
        about="Ask a question and check the answer yourself, hash by hash, in this browser."
        actions={
          bundle !== null && (
            <button class="button" type="button" onClick={() => download(bundle)}>
              <Icon name="download" size={16} /> Download proof
            </button>
          )
        }
      />
      <Show loaded={choices}>{(value) => <Views choices={value} onProof={setBundle} />}</Show>
    </>
  )
}

function Views({
  choices,
  onProof,
}: {
  readonly choices: Choices
  onProof(bundle: ProofBundle | null): void
}) {
  const choice = useKeyChoice(choices)
  const query = usePlace().query
  const [view, setView] = useState<'answer' | 'file'>(query.has('cid') ? 'file' : 'answer')
  const { place } = choice
  if (place === null) {
    return <NoKey title="Proofs need an API key" />
  }
  const shared = { choices, choice, place }
  return (
    <Tabs title="Kind of proof" tabs={views} chosen={view} onChoose={(name) => setView(name)}>
      <div class="stack">
        {view === 'answer' ? (
          <AnswerProof
            {...shared}
            requested={{ method: query.get('method'), params: query.get('params') }}
            onProof={onProof}
          />
        ) : (
          <FileProof {...shared} requested={query.get('cid')} />
        )}
      </div>
    </Tabs>
  )
}

function download(bundle: ProofBundle): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(bundle)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'bundle.json'
  link.click()
  URL.revokeObjectURL(url)
}
