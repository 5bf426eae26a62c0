import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { webhooksQuery } from '../../data/webhook-queries.ts';
import { given } from '../../lib/search.ts';
import { useOrganization } from '../../shell/context.ts';
import { Input } from '../../ui/Field.tsx';
import { FilterSelect } from '../../ui/FilterSelect.tsx';
import form from '../../ui/Form.module.css';
import { ReadSelect } from '../../ui/ReadSelect.tsx';
import { TimeRange } from '../logs/TimeRange.tsx';
import { answers } from './filter.ts';
import { deliveryStatuses, idOf, readDeliverySearch, type DeliverySearch } from './search.ts';

interface Props {
  readonly search: DeliverySearch;
  readonly onChange: (search: DeliverySearch) => void;
}

/** What deliveries are shown, kept in the address. */
export function DeliveryFilters({ search, onChange }: Props) {
  const organization = useOrganization();
  const endpoints = useQuery(webhooksQuery(organization.id));
  const choose = (name: keyof DeliverySearch, value: string | undefined) =>
    onChange(readDeliverySearch({ ...search, [name]: value }));
  const { answer } = search;
  const isCommon = answer === undefined || answers.some(([code]) => code === answer);
  return (
    <search className={form.form}>
      <div className={form.row}>
        <ReadSelect
          read={endpoints}
          label="Endpoint"
          value={search.endpointId ?? ''}
          onChange={(event) => choose('endpointId', event.target.value)}
        >
          <option value="">All</option>
          {/* Its URL is not read yet, or it is deleted. */}
          {search.endpointId !== undefined &&
            endpoints.data?.data.some(({ id }) => id === search.endpointId) !== true && (
              <option value={search.endpointId}>{search.endpointId}</option>
            )}
          {endpoints.data?.data.map(({ id, url }) => (
            <option key={id} value={id}>
              {url}
            </option>
          ))}
        </ReadSelect>
        <FilterSelect
          label="Status"
          any="All"
          choices={deliveryStatuses.map((status) => [status, status.toLowerCase()])}
          value={search.status}
          onChange={(status) => choose('status', status)}
        />
        <FilterSelect
          label="Last answer"
          choices={isCommon ? answers : [...answers, [answer, answer] as const]}
          value={answer}
          onChange={(chosen) => choose('answer', chosen)}
        />
        <Input
          label="Event"
          mono
          placeholder="database.ready"
          value={search.eventType ?? ''}
          onChange={(event) => choose('eventType', event.target.value)}
        />
        <IdInput id={search.id} onChange={(id) => choose('id', id)} />
      </div>
      <TimeRange
        key={`${search.from} ${search.to}`}
        range={given({ from: search.from, to: search.to })}
        oldest="the oldest"
        onApply={({ from, to }) => onChange(readDeliverySearch({ ...search, from, to }))}
      />
    </search>
  );
}

interface IdProps {
  readonly id: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** Asked for once the ID is whole. */
function IdInput({ id, onChange }: IdProps) {
  const [text, setText] = useState('');
  const isWrong = text !== '' && idOf(text) === undefined;
  return (
    <Input
      label="ID of a delivery or event"
      mono
      autoComplete="off"
      spellCheck={false}
      placeholder="dlv_… or evt_…"
      value={isWrong ? text : (id ?? '')}
      error={isWrong ? 'An ID is dlv_ or evt_ and 26 letters and digits.' : undefined}
      onChange={({ target }) => {
        const typed = target.value.trim();
        setText(typed);
        if (typed === '' || idOf(typed) !== undefined) onChange(idOf(typed));
      }}
    />
  );
}
