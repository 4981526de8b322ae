-- Text and HTML in one WYSIWYG column. src/records/editor/rich-text.ts has the same rule; a test compares the two.

create function docket_system.is_markup(value text) returns boolean language sql immutable parallel safe as $$
  select position('<' in value) > 0 and (
    value ~* '<!--|<!doctype|<!\[cdata\[|<\?xml'
    or value ~* '</?(applet|area|audio|base|body|button|canvas|details|dialog|embed|form|frame|frameset|head|html|iframe|image|img|input|isindex|link|map|marquee|math|meta|noembed|noframes|noscript|object|option|param|picture|plaintext|portal|script|select|slot|source|style|svg|template|textarea|title|track|video|xmp)([^-a-z0-9_]|$)'
    or value ~* '</?(a|abbr|acronym|address|article|aside|b|bdi|bdo|big|blockquote|br|caption|center|cite|code|col|colgroup|data|dd|del|dfn|dir|div|dl|dt|em|fieldset|figcaption|figure|font|footer|h[1-6]|header|hgroup|hr|i|ins|kbd|label|legend|li|main|mark|menu|meter|nav|ol|output|p|pre|progress|q|rb|rp|rt|rtc|ruby|s|samp|search|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|wbr)(\s+[a-z_:][-a-z0-9_:.]*\s*=\s*("[^"]*"|''[^'']*''|[^\s"''=<>]+))*\s*/?>'
    or value ~* '<[a-z].*[^-a-z0-9_](on[a-z]+|action|formaction|href|is|src|srcdoc|srcset|style)\s*=')
$$;

-- A text as HTML that shows the same text.
create function docket_system.escape_markup(value text) returns text language sql immutable parallel safe as $$
  select replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), E'\n', '<br />')
$$;

-- Appends to or prepends to the text of a WYSIWYG column. Text and text are text, HTML and HTML are HTML; of the two kinds, the text
-- becomes HTML. Two texts that would make markup where they meet stay text as HTML.
create function docket_system.join_rich_text(first text, second text) returns text language sql immutable parallel safe as $$
  select case
    when first = '' then second
    when second = '' then first
    when docket_system.is_markup(first) and docket_system.is_markup(second) then first || second
    when docket_system.is_markup(first) then first || docket_system.escape_markup(second)
    when docket_system.is_markup(second) then docket_system.escape_markup(first) || second
    when docket_system.is_markup(first || second) then docket_system.escape_markup(first || second)
    else first || second end
$$;
