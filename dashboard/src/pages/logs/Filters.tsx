import { useEffect, useState } from 'react';
import { given, textOf, wordOf } from '../../lib/search.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import spanStyles from '../../ui/Spans.module.css';
import styles from './Logs.module.css';
import {
  components,
  isRange,
  nodes,
  severities,
  spanDefault,
  spanNames,
  spans,
  type LogSearch,
} from './search.ts';
import { TimeRange } from './TimeRange.tsx';

interface Props {
  readonly search: LogSearch;
  readonly nodeCount: number;
  readonly onChoose: (search: LogSearch) => void;
}

/** Filters, kept in the address: choices at once, text when the person has stopped typing. */
export function Filters({ search, nodeCount, onChoose }: Props) {
  const choose = (more: { readonly [Name in keyof LogSearch]: LogSearch[Name] | undefined }) =>
    onChoose(given({ ...search, ...more }));
  const [ranging, setRanging] = useState(isRange(search));
  const { from, to } = search;
  return (
    <div className={styles.filters}>
      <div role="group" aria-label="Span of time" className={spanStyles.spans}>
        {spanNames.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={!isRange(search) && name === (search.span ?? spanDefault)}
            onClick={() => {
              setRanging(false);
              choose({ span: name, from: undefined, to: undefined });
            }}
          >
            {spans[name].title}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={isRange(search)}
          aria-expanded={ranging}
          onClick={() => setRanging(!ranging)}
        >
          Between two times
        </button>
      </div>
      <label className={spanStyles.choice}>
        Severity{' '}
        <select
          value={search.severity ?? ''}
          onChange={(event) => choose({ severity: wordOf(event.target.value, severities) })}
        >
          <option value="">all</option>
          {severities.slice(1).map((name) => (
            <option key={name} value={name}>
              {name === 'FATAL' ? 'fatal' : `${name.toLowerCase()} and above`}
            </option>
          ))}
        </select>
      </label>
      <label className={spanStyles.choice}>
        Component{' '}
        <select
          value={search.component ?? ''}
          onChange={(event) => choose({ component: wordOf(event.target.value, components) })}
        >
          <option value="">all</option>
          {components.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {nodeCount > 1 && (
        <label className={spanStyles.choice}>
          Node{' '}
          <select
            value={search.node ?? ''}
            onChange={(event) => choose({ node: wordOf(event.target.value, nodes) })}
          >
            <option value="">all</option>
            {nodes.slice(0, nodeCount).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <Search
        text={search.search ?? ''}
        onSearch={(text) => choose({ search: textOf(text, 200) })}
      />
      {ranging && (
        <TimeRange
          key={JSON.stringify([from, to])}
          range={given({ from, to })}
          oldest="the oldest line"
          onApply={(range) => choose({ from: range.from, to: range.to })}
        />
      )}
    </div>
  );
}

interface SearchProps {
  readonly text: string;
  readonly onSearch: (text: string) => void;
}

function Search({ text, onSearch }: SearchProps) {
  const [typed, setTyped] = useState(text);
  const settled = useDebounced(typed);
  useEffect(() => {
    if (settled !== text) onSearch(settled);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only what was typed decides; the address follows it
  }, [settled]);
  return (
    <label className={spanStyles.choice}>
      Search{' '}
      <input
        type="search"
        value={typed}
        maxLength={200}
        placeholder="text in a line"
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  );
}
