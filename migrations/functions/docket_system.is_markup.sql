CREATE OR REPLACE FUNCTION docket_system.is_markup(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select position('<' in value) > 0 and (
    value ~* '<!--|<!doctype|<!\[cdata\[|<\?xml'
    or value ~* '</?(applet|area|audio|base|body|button|canvas|details|dialog|embed|form|frame|frameset|head|html|iframe|image|img|input|isindex|link|map|marquee|math|meta|noembed|noframes|noscript|object|option|param|picture|plaintext|portal|script|select|slot|source|style|svg|template|textarea|title|track|video|xmp)([^-a-z0-9_]|$)'
    or value ~* '</?(a|abbr|acronym|address|article|aside|b|bdi|bdo|big|blockquote|br|caption|center|cite|code|col|colgroup|data|dd|del|dfn|dir|div|dl|dt|em|fieldset|figcaption|figure|font|footer|h[1-6]|header|hgroup|hr|i|ins|kbd|label|legend|li|main|mark|menu|meter|nav|ol|output|p|pre|progress|q|rb|rp|rt|rtc|ruby|s|samp|search|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|wbr)(\s+[a-z_:][-a-z0-9_:.]*\s*=\s*("[^"]*"|''[^'']*''|[^\s"''=<>]+))*\s*/?>'
    or value ~* '<[a-z].*[^-a-z0-9_](on[a-z]+|action|formaction|href|is|src|srcdoc|srcset|style)\s*=')
$function$;
