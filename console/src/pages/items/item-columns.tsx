import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import type { Entities } from '../../catalog/entities.ts';
import { formatNumber, formatOneIn, formatShare } from '../../parts/format.ts';
import { numberFault, parseNumber } from '../../parts/number-text.ts';
import type { OptionsById } from '../../parts/options.tsx';
import { pathTo } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import type { VirtualColumn } from '../../parts/virtual-table.tsx';
import { EditCell, PENCIL } from './edit-cell.tsx';
import classes from './items.module.css';
import { type Selection, useIsSelected } from './selection.ts';

export interface Row {
  readonly item: Schemas['Item'];
  readonly weight: number;
  readonly odds: number;
  readonly mark: 'new in draft' | 'changed in draft' | undefined;
  /** What a search looks at. */
  readonly text: string;
}

interface Table {
  readonly options: OptionsById;
  readonly classifiers: readonly Schemas['Classifier'][];
  readonly attributes: readonly Schemas['Attribute'][];
  readonly selection: Selection;
  /** Left out if nothing may be edited. */
  readonly edit: ((item: Schemas['Item'], members: Partial<Entities['item']>) => Promise<unknown>) | undefined;
  /** The header of the column of checkboxes. */
  readonly head: ReactNode;
}

/** A column that may be left out. */
export interface ItemColumn extends VirtualColumn<Row> {
  /** Whether it is shown unless somebody has chosen. */
  readonly isUsual?: boolean;
  /** Whether it is always shown. */
  readonly isFixed?: boolean;
}

const Check = ({ item, selection }: { item: Schemas['Item']; selection: Selection }) => (
  <input
    type="checkbox"
    className={classes.check}
    aria-label={`Select ${item.name}`}
    checked={useIsSelected(selection, item.id)}
    onChange={() => selection.toggle(item.id)}
  />
);

const OptionNames = ({
  item,
  classifierId,
  options,
}: {
  item: Schemas['Item'];
  classifierId: string;
  options: OptionsById;
}) => (
  <span className={classes.options}>
    {item.classifiers
      .filter(({ classifierOption }) => options.get(classifierOption.id)?.classifierId === classifierId)
      .map(({ classifierOption: { id, name } }) => {
        const { colour, name: now = name } = options.get(id) ?? {};
        return (
          <span key={id} className={classes.option}>
            {colour !== undefined && <i className={classes.dot} style={{ background: colour }} />}
            {now}
          </span>
        );
      })}
  </span>
);

const optionNamesOf = ({ item }: Row, classifierId: string): string =>
  item.classifiers
    .filter((own) => own.classifierId === classifierId)
    .map(({ classifierOption }) => classifierOption.name)
    .join();

const NUMBERS = [
  { header: 'Base weight', member: 'rollNumerator', limits: { min: 0 }, isUsual: true },
  { header: 'Width', member: 'width', limits: { min: 1, max: 20, isWhole: true }, isUsual: false },
  { header: 'Height', member: 'height', limits: { min: 1, max: 20, isWhole: true }, isUsual: false },
] as const;

const rangeOf = (item: Schemas['Item'], attributeId: string) =>
  item.attributes.find((own) => own.attributeId === attributeId);

/** Every column that the table may have. Rows are drawn again and again while somebody types or scrolls, so cells are plain elements. */
export const itemColumns = ({
  options,
  classifiers,
  attributes,
  selection,
  edit,
  head,
}: Table): readonly ItemColumn[] => [
  ...(edit === undefined
    ? []
    : [
        { header: 'Select', head, isFixed: true, cell: ({ item }: Row) => <Check item={item} selection={selection} /> },
      ]),
  {
    header: 'Item',
    isFixed: true,
    sortBy: ({ item }) => item.name,
    cell: ({ item, mark }) => (
      <span className={classes.item}>
        <Thumbnail name={item.name} thumbnail={item.thumbnail} size={20} />
        <Link href={pathTo('items', item.id)} className={classes.name} title={item.name}>
          {item.name}
        </Link>
        {edit !== undefined && (
          <span className={classes.pencil}>
            <EditCell
              label={`name of ${item.name}`}
              text={PENCIL}
              value={item.name}
              faultOf={(typed) => (typed.trim() === '' ? 'Enter a name' : undefined)}
              onSave={(name) => edit(item, { name })}
            />
          </span>
        )}
        {mark !== undefined && <span className={classes.mark}>{mark}</span>}
      </span>
    ),
  },
  ...classifiers.map(
    ({ id, name }): ItemColumn => ({
      header: name,
      isWideOnly: true,
      isUsual: true,
      sortBy: (row) => optionNamesOf(row, id),
      cell: ({ item }) => <OptionNames item={item} classifierId={id} options={options} />,
    }),
  ),
  ...NUMBERS.map(
    ({ header, member, limits, isUsual }): ItemColumn => ({
      header,
      isNumber: true,
      isWideOnly: true,
      isUsual,
      sortBy: ({ item }) => item[member],
      cell: ({ item }) =>
        edit === undefined ? (
          formatNumber(item[member])
        ) : (
          <EditCell
            label={`${header} of ${item.name}`}
            text={formatNumber(item[member])}
            value={String(item[member])}
            faultOf={(typed) => (typed.trim() === '' ? 'Enter a number' : numberFault(typed, limits))}
            onSave={(typed) => edit(item, { [member]: parseNumber(typed) })}
          />
        ),
    }),
  ),
  {
    header: 'Size',
    isNumber: true,
    isWideOnly: true,
    isUsual: true,
    sortBy: ({ item }) => item.width * item.height,
    cell: ({ item }) => `${item.width} × ${item.height}`,
  },
  {
    header: 'Weight',
    isNumber: true,
    isWideOnly: true,
    sortBy: ({ weight }) => weight,
    cell: ({ weight }) => formatNumber(weight),
  },
  {
    header: 'Odds',
    isNumber: true,
    isUsual: true,
    sortBy: ({ odds }) => odds,
    cell: ({ odds }) => (
      <span className={classes.odds} title={`${odds * 100} %`}>
        {formatShare(odds)}
        <span className={classes.oneIn}>{formatOneIn(odds)}</span>
      </span>
    ),
  },
  ...attributes.map(
    ({ id, name }): ItemColumn => ({
      header: `${name} range`,
      isNumber: true,
      isWideOnly: true,
      sortBy: ({ item }) => rangeOf(item, id)?.max ?? Number.NEGATIVE_INFINITY,
      cell: ({ item }) => {
        const range = rangeOf(item, id);
        return range === undefined ? '' : `${formatNumber(range.min)} to ${formatNumber(range.max)}`;
      },
    }),
  ),
  {
    header: 'Description',
    isWideOnly: true,
    sortBy: ({ item }) => item.description ?? '',
    cell: ({ item }) =>
      edit === undefined ? (
        <span className={classes.long}>{item.description}</span>
      ) : (
        <EditCell
          label={`Description of ${item.name}`}
          text={item.description ?? ''}
          onSave={(typed) => edit(item, { description: typed })}
        />
      ),
  },
  { header: 'Id', isWideOnly: true, sortBy: ({ item }) => item.id, cell: ({ item }) => item.id },
];
